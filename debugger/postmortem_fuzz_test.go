package debugger

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/traveltools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// seed reads one of the files for tests.
func seed(f *testing.F, name string) []byte {
	f.Helper()
	b, err := os.ReadFile(filepath.Join("testdata/postmortem", name))
	if err != nil {
		f.Fatal(err)
	}
	return b
}

// patched is a file with some bytes replaced: each four bytes of the patch are
// where, and what.
func patched(whole, patch []byte) []byte {
	b := append([]byte(nil), whole...)
	for ; len(patch) >= 4; patch = patch[4:] {
		b[int(binary.LittleEndian.Uint32(patch)&0xffffff)%len(b)] = patch[3]
	}
	return b
}

// put writes a file for one round.
func put(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// FuzzTraceFile: a trace that has been tampered with, and sealed again, is
// refused or shown, whatever it says of maps, registers and memory.
func FuzzTraceFile(f *testing.F) {
	whole := seed(f, "counter.trace")
	f.Add([]byte{})
	f.Add([]byte{30, 0, 0, 1, 60, 0, 0, 255})
	f.Add([]byte{0x2c, 1, 0, 0x7f, 0x40, 1, 0, 0xff})
	executable, err := filepath.Abs("testdata/postmortem/counter")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		b := patched(whole[:len(whole)-sha256.Size], patch)
		sum := sha256.Sum256(b)
		trace, err := traveltools.OpenTrace(t.Context(), put(t, append(b, sum[:]...)), "", "", nil, slog.New(slog.DiscardHandler))
		if err != nil {
			return
		}
		trace.Summary().Text()
		first, last := trace.Positions()
		for _, at := range []uint64{first, (first + last) / 2, last} {
			if m, err := trace.At(at, 50); err == nil {
				m.Text()
			}
			_, _, _ = trace.LastWrite(t.Context(), "$rsp - 8", 16, at) // there may be none
		}
		if last-first < 1000 {
			_ = trace.WriteSteps(t.Context(), io.Discard, first, last, false)
		}
		if err := trace.Close(); err != nil {
			t.Error(err)
		}
		if again, err := traveltools.OpenTrace(t.Context(), put(t, append(b, sum[:]...)), executable, "", nil, slog.New(slog.DiscardHandler)); err == nil {
			_ = again.Close()
		}
	})
}

// FuzzCoreScene: likewise a core file, with the symbols of its program.
func FuzzCoreScene(f *testing.F) {
	whole := seed(f, "counter.core")
	f.Add([]byte{})
	f.Add([]byte{0x40, 0, 0, 4, 0x50, 0, 0, 0xff})
	f.Add([]byte{0xf0, 3, 0, 0x7f, 0x10, 4, 0, 0xff})
	executable, err := filepath.Abs("testdata/postmortem/counter")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		file, err := os.Open(put(t, patched(whole, patch)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		scene, err := target.OpenCore(file, nil, target.Overrides{Executable: executable, Open: traveltools.FindAnywhere})
		if err != nil {
			return
		}
		d := target.Target{Kind: "core file", PID: scene.PID(), View: scene, OpenImage: target.ImageOpener(scene.Mapped()), Stop: scene.Stop()}
		i := inspect.NewInspector(t.Context(), &d, slog.New(slog.DiscardHandler))
		st := stepping.NewStepper(i, stepping.Budget{})
		s := &session.Session{Target: &d, Inspector: i, Timeline: st.Timeline, Breakpoints: st.Breakpoints, Stepper: st}
		s.Describe(s.Target.CurrentStop())
		for _, each := range scene.File.Threads() {
			_, _ = s.Inspector.Frames(each.ID, 50) // of a broken thread there may be none
		}
		if frame, err := s.Inspector.Frame(0, 0); err == nil {
			for _, o := range frame.Variables() {
				looktools.NewVariable(o)
			}
		}
		target.Missing(scene.File.Maps(), scene.Mapped())
		if err := s.Inspector.Program.Close(); err != nil {
			t.Error(err)
		}
		if err := scene.Close(); err != nil {
			t.Error(err)
		}
	})
}
