package traveltools

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sessiontest"
	"github.com/triptych-mcp/triptych/mcp"
)

// The last position of the trace of counter.c, its crash, and the position of the write
// to the pointer that led to it: see stepping's tests.
const theCrash, theWrite = 83, 68

// trace returns the tools, and a session of the trace of counter.c.
func trace(t *testing.T) (*Group, *session.Session) {
	t.Helper()
	r := sessiontest.NewRegistry(t)
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return &Group{Sessions: r, Exports: filepath.Join(t.TempDir(), "traces"), Now: func() time.Time { return noon }}, sessiontest.AddTrace(t, r)
}

// The last write is told with its instruction, values and stack, and moves only if that
// was asked for.
func TestLastWrite(t *testing.T) {
	g, s := trace(t)
	for _, tt := range []struct {
		args lastWriteArgs
		want string
	}{
		{lastWriteArgs{Expression: "data.where"}, "Last write to 0x402010 (8 bytes): at position 68 by thread "},
		{lastWriteArgs{Address: "&data.where", Size: 4}, "\nInstruction: mov [rdx+rax], ecx\nValue: 0x00000040, before it 0x00402000\n"},
		{lastWriteArgs{Expression: "data.table[2]"}, "at position 44 "},
		{lastWriteArgs{Expression: "data.table", Size: 4}, "at position 20 "}, // of the first element only
		{lastWriteArgs{Address: "&data", Size: 16}, "at position 56 "},
		{lastWriteArgs{Expression: "data.where"}, "\n#1  0x401067 _start+0x12 /tmp/counter/counter.c:21"},
		{lastWriteArgs{Address: "0x402100"}, "No write to 0x402100 (8 bytes) is recorded since position 0: "},
		{lastWriteArgs{Expression: "1 + 1"}, "error: Expression failed: 1 + 1 is nothing that is in memory"},
	} {
		answer, err := g.lastWrite(t.Context(), nil, s, tt.args)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = answer.Text()
		}
		if here := s.Target.History.View().Position(); !strings.Contains(got, tt.want) || here != theCrash {
			t.Errorf("%+v: at %d: %q, want %q", tt.args, here, got, tt.want)
		}
	}
	answer, err := g.lastWrite(t.Context(), nil, s, lastWriteArgs{Expression: "data.where", Move: true})
	if here := s.Target.History.View().Position(); err != nil || here != theWrite || answer.State.Position() != theWrite {
		t.Errorf("it has moved to %d, %v", here, err)
	}
	if answer, err = g.lastWrite(t.Context(), nil, s, lastWriteArgs{Expression: "data.where"}); err != nil || answer.Found {
		t.Errorf("before the only write: %+v, %v", answer, err)
	}
}

// The tree has the calls of a range of positions, _start's being the root.
func TestCallTree(t *testing.T) {
	g, s := trace(t)
	answer, err := g.callTree(t.Context(), nil, s, callTreeArgs{Depth: 4, MaxBytes: 5000})
	if err != nil {
		t.Fatal(err)
	}
	if text := answer.Text(); answer.To != theCrash || !strings.Contains(text, "fill") || !strings.Contains(text, "use") || strings.Index(text, "fill") > strings.Index(text, "use") {
		t.Error(text)
	}
	end := uint64(77) // fill has returned
	answer, err = g.callTree(t.Context(), nil, s, callTreeArgs{To: &end, Depth: 4, MaxBytes: 5000})
	if text := answer.Text(); err != nil || answer.Calls != 1 || strings.Contains(text, "use") {
		t.Errorf("%s, %v", text, err)
	}
	beyond, after := uint64(theCrash+1), uint64(60)
	for want, args := range map[string]callTreeArgs{
		"position 84 is beyond the present, 83": {To: &beyond}, "position 84 is beyond the end, 83": {From: &beyond}, "position 77 is beyond the end, 60": {From: &end, To: &after}, "filter must be a pattern": {Filter: "[a"},
	} {
		if _, err := g.callTree(t.Context(), nil, s, args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", args, err, want)
		}
	}
}

// An answer has at least one line, and says where to go on.
func TestTreeIsCut(t *testing.T) {
	lines := make([]calltrace.Line, 5)
	for offset, want := range map[int]struct{ lines, next int }{0: {1, 1}, 3: {1, 4}, 4: {1, 0}, 5: {0, 0}, 9: {0, 0}} {
		c := callTree{}
		if c.add(lines, offset, 0); len(c.Lines) != want.lines || c.Next != want.next {
			t.Errorf("from %d: %d lines and %d next, want %+v", offset, len(c.Lines), c.Next, want)
		}
	}
}

// A trace is exported whole or in part, as a file of its own each time that only its owner
// reads.
func TestExport(t *testing.T) {
	g, s := trace(t)
	from, to := uint64(10), uint64(20)
	for _, tt := range []struct {
		args         exportArgs
		name         string
		from, to     uint64
		hasInline    bool
		withholdsAll bool
	}{
		{exportArgs{Format: "text"}, "trace_20260301_120000.txt", 0, theCrash, false, false},
		{exportArgs{Format: "json", From: &from, To: &to}, "trace_20260301_120000.json", 10, 20, false, false},
		{exportArgs{Format: "binary"}, "trace_20260301_120000.trace", 0, theCrash, true, false},
		{exportArgs{Format: "binary"}, "trace_20260301_120000_2.trace", 0, theCrash, false, true},
	} {
		g.WithholdTraces = tt.withholdsAll
		answer, err := g.exportTrace(t.Context(), &mcp.Call{}, s, tt.args)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(answer.File)
		if err != nil || filepath.Base(answer.File) != tt.name || info.Mode().Perm() != 0o600 || info.Size() != answer.Bytes {
			t.Errorf("%+v: %s, %v, %v", tt.args, answer.File, info, err)
		}
		if answer.From != tt.from || answer.To != tt.to || (len(answer.Content()) > 0) != tt.hasInline {
			t.Errorf("%+v: %d to %d, %d contents", tt.args, answer.From, answer.To, len(answer.Content()))
		}
	}
	again, err := OpenTrace(t.Context(), filepath.Join(g.Exports, "trace_20260301_120000.trace"), sessiontest.Counter("counter"), "", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if first, last := again.Positions(); first != 0 || last != theCrash {
		t.Errorf("what was exported has the positions %d to %d", first, last)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	beyond := uint64(theCrash + 1)
	if _, err := g.exportTrace(t.Context(), &mcp.Call{}, s, exportArgs{Format: "text", To: &beyond}); err == nil || !strings.Contains(err.Error(), "end_snapshot 84 is beyond the present, 83") {
		t.Error(err)
	}
	if (exportArgs{From: &to, To: &from}).Validate() == nil {
		t.Error("a range that ends before it begins is accepted")
	}
}

// Of one second there are as many files as are allowed, and then an error.
func TestFilesOfOneSecond(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for n := range sameSecond {
		f, err := newTraceFile(dir, now, ".txt")
		if err != nil {
			t.Fatalf("file %d: %v", n, err)
		}
		_ = f.Close()
	}
	if f, err := newTraceFile(dir, now, ".txt"); err == nil {
		t.Errorf("%s is made", f.Name())
	}
}

// Sizes have the unit in which they are at least one.
func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1023: "1023 bytes", 1024: "1.0 KB", 1536: "1.5 KB", 1 << 20: "1.0 MB", 5 << 29: "2.5 GB"} {
		if got := size(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// A command reads a trace as its file has it: a summary, any moment, and all steps.
func TestTraceFile(t *testing.T) {
	f, err := OpenTrace(t.Context(), sessiontest.Counter("counter.trace"), sessiontest.Counter("counter"), "", nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}()
	if s := f.Summary(); s.Program != "/tmp/counter/counter" || s.First != 0 || s.Last != theCrash || len(s.Threads) != 1 || len(s.Missing) != 0 || !strings.Contains(s.Text(), "Positions: 0 to 83, 83 steps") {
		t.Errorf("%+v", s)
	}
	m, err := f.At(theWrite, 2)
	if err != nil || m.Address != "0x40102c" || m.Function != "fill" || m.Line != 11 || m.Instruction != "mov [rdx+rax], ecx" || len(m.Frames) != 2 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := f.At(theCrash+1, 0); err == nil {
		t.Error("there is a position 84")
	}
	w, ok, err := f.LastWrite(t.Context(), "&data.where", 8, theCrash)
	if err != nil || !ok || w.Position != theWrite || w.Before != "00 20 40 00 00 00 00 00" || w.After != "40 00 00 00 00 00 00 00" || w.Address != "0x40102c" {
		t.Errorf("%+v, %t, %v", w, ok, err)
	}
	if w, ok, err := f.LastWrite(t.Context(), "&data.where", 8, theWrite); err != nil || ok || w.Written != "0x402010" {
		t.Errorf("before the only write: %+v, %t, %v", w, ok, err)
	}
	var text bytes.Buffer
	if err := f.WriteSteps(t.Context(), &text, theWrite, theWrite+1, false); err != nil || !strings.Contains(text.String(), "0x40102c") || strings.Contains(text.String(), "0x40102f") {
		t.Errorf("%q, %v", text.String(), err)
	}
	if _, err := OpenTrace(t.Context(), sessiontest.Counter("counter.c"), "", "", nil, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a source file is a trace")
	}
}
