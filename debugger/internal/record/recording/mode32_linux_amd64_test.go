package recording_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
)

// program32 writes a program for 32-bit x86 that ends with status 3.
func program32(t *testing.T) string {
	t.Helper()
	const base, head = 0x8048000, 52 + 32
	code := []byte("\xb8\x01\x00\x00\x00\xbb\x03\x00\x00\x00\xcd\x80") // mov eax, 1; mov ebx, 3; int 0x80
	b := []byte("\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	half := func(list ...uint16) {
		for _, n := range list {
			b = binary.LittleEndian.AppendUint16(b, n)
		}
	}
	word := func(list ...uint32) {
		for _, n := range list {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
	}
	half(2, 3) // an executable for the 386
	word(1, base+head, 52, 0, 0)
	half(52, 32, 1, 40, 0, 0)
	word(1, 0, base, base, uint32(head+len(code)), uint32(head+len(code)), 5, 0x1000) // loaded, may be read and executed
	path := filepath.Join(t.TempDir(), "program32")
	check(t, os.WriteFile(path, append(b, code...), 0o700))
	err := exec.CommandContext(t.Context(), path).Run()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Skip("the system runs no 32-bit programs: ", err)
	}
	return path
}

// TestProgram32 records a 32-bit program, and one that executes it: both run to their ends with
// their own status, and the reason is in plain words.
func TestProgram32(t *testing.T) {
	needPermission(t)
	program := program32(t)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	check(t, err)
	defer func() { _ = null.Close() }()
	for _, argv := range [][]string{{program}, {"/bin/sh", "-c", "exec " + program}} {
		var file bytes.Buffer
		r, err := recording.Record(t.Context(), recording.Program{
			Path: argv[0], Args: argv, Env: os.Environ(), Files: []uintptr{null.Fd(), null.Fd(), 2},
		}, &file)
		check(t, errors.Join(err, r.Err))
		if r.Status != 3 || r.Cut != "the program executes 32-bit code" {
			t.Errorf("%s: %+v", argv[0], r)
		}
		if began := argv[0] != program; began != (r.Events > 0) || began != (file.Len() > 0) {
			t.Errorf("%s: %d events in %d bytes", argv[0], r.Events, file.Len())
		} else if began {
			replayWhole(t, open(t, file.Bytes()))
		}
	}
}
