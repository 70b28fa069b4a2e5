package proc_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
)

// narrowProgram writes a 32-bit program that counts for ever in eax: an ELF
// header and a program header (System V ABI, edition 4.1, chapters 4 and 5), and
// the instructions. It needs neither a compiler nor a library.
func narrowProgram(t *testing.T) string {
	t.Helper()
	const headers, base = 52 + 32, 0x08048000
	code := []byte{0x40, 0xeb, 0xfd} // inc eax; jmp -3. For a 64-bit processor 0x40 is a prefix
	b := []byte{0x7f, 'E', 'L', 'F', 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	for _, half := range []uint16{2, 3} { // ET_EXEC, EM_386
		b = binary.LittleEndian.AppendUint16(b, half)
	}
	for _, word := range []uint32{1, base + headers, 52, 0, 0} { // version, entry, program headers, sections, flags
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	for _, half := range []uint16{52, 32, 1, 40, 0, 0} { // sizes and numbers of headers
		b = binary.LittleEndian.AppendUint16(b, half)
	}
	size := uint32(headers + len(code))
	for _, word := range []uint32{1, 0, base, base, size, size, 5, 0x1000} { // PT_LOAD, read and execute
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	path := filepath.Join(t.TempDir(), "narrow")
	if err := os.WriteFile(path, append(b, code...), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// startNarrow runs it, or skips the test on a kernel that cannot.
func startNarrow(t *testing.T, path string) int {
	t.Helper()
	cmd := exec.Command(path)
	if err := cmd.Start(); errors.Is(err, unix.ENOEXEC) {
		t.Skip("this kernel runs no 32-bit programs")
	} else if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd.Process.Pid
}

// stillRuns fails the test unless a process runs and nothing traces it.
func stillRuns(t *testing.T, pid int) {
	t.Helper()
	time.Sleep(5 * time.Millisecond) // to die takes no longer
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil || !strings.Contains(string(text), "State:\tR") || !strings.Contains(string(text), "TracerPid:\t0") {
		t.Errorf("the program does not run: %v\n%s", err, text)
	}
}

// refusesNarrow reports whether an error gives the program's 32 bits as the reason.
func refusesNarrow(err error) bool {
	refusal, ok := errors.AsType[*proc.PermissionError](err)
	return ok && strings.Contains(refusal.Cause, "32-bit")
}

// A 32-bit program is not debugged: its registers, instructions and system
// calls have other meanings, and to step it is to kill it.
func TestNarrowProgramIsRefused(t *testing.T) {
	path := narrowProgram(t)
	pid := startNarrow(t, path)
	_, err := proc.Attach(t.Context(), pid, proc.Options{})
	if !refusesNarrow(err) {
		t.Errorf("Attach: %v, want a PermissionError about 32 bits", err)
	}
	stillRuns(t, pid)
	_, err = proc.Launch(t.Context(), proc.Spec{Path: path}, proc.Options{})
	if err == nil || !strings.Contains(err.Error(), path+": it runs a 32-bit program") {
		t.Errorf("Launch: %v, want that it runs a 32-bit program", err)
	}
}

// A process that begins a 32-bit program while it is debugged is not stepped
// from then on, and runs on when it is let go.
func TestNarrowAfterExec(t *testing.T) {
	path := narrowProgram(t)
	startNarrow(t, path)
	p, err := proc.Launch(t.Context(), proc.Spec{Path: "/bin/sh", Args: []string{"-c", "exec " + path}}, proc.Options{})
	if err != nil {
		t.Skip("launching is not possible here: ", err)
	}
	t.Cleanup(func() { _ = unix.Kill(p.ID(), unix.SIGKILL) })
	t.Cleanup(func() { _ = p.Detach(context.Background()) })
	if stop := resume(t, p); stop.Why != proc.Executed {
		t.Fatalf("stop %+v, want exec", stop)
	}
	if _, err := p.StepInstruction(t.Context(), 0); !refusesNarrow(err) {
		t.Errorf("StepInstruction: %v, want a PermissionError", err)
	}
	if err := p.Step(t.Context(), 0, func(*proc.Stepper) error { return nil }); !refusesNarrow(err) {
		t.Errorf("Step: %v, want a PermissionError", err)
	}
	if _, err := p.Inject(0, unix.SYS_GETPID); !refusesNarrow(err) {
		t.Errorf("Inject: %v, want a PermissionError", err)
	}
	if _, err := p.SetBreakpoint(proc.BreakpointSpec{Address: 0x08048054}); err == nil || !strings.Contains(err.Error(), "32-bit") {
		t.Errorf("SetBreakpoint: %v, want that it runs a 32-bit program", err)
	}
	if stop := resumeFor(t, p, 10*time.Millisecond); stop.Why != proc.Paused {
		t.Errorf("stop %+v, want a pause", stop)
	}
	if err := p.Detach(t.Context()); err != nil {
		t.Fatal(err)
	}
	stillRuns(t, p.ID())
}
