package guard

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// debuggerCommand makes the test binary a debugger that is about to be killed.
const debuggerCommand = "__debugger"

// TestMain makes the test binary its own guard, and a debugger to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case Command:
			os.Exit(Main())
		case debuggerCommand:
			os.Exit(debuggerMain(os.Args[2], os.Args[3], os.Args[4]))
		}
	}
	os.Exit(m.Run())
}

// debuggerMain tells the guard of a process, whose memory is a file, that an int3 has been in
// and is out again.
func debuggerMain(path, addressText, originalText string) int {
	memory, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	address, _ := strconv.ParseUint(addressText, 10, 64)
	original, _ := strconv.ParseUint(originalText, 10, 8)
	j, err := NewJournal()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	g, err := Start(nil, memory, j, nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if g.Remember(address, byte(original)) == nil && g.Forget(address) == nil {
		fmt.Println("ready")
	}
	time.Sleep(time.Hour) // until it is killed
	return 0
}

// The debugger is killed while a child has the int3 that it has already taken out of the
// parent.
func TestChildKeepsNoInt3(t *testing.T) {
	program := debuggertest.Start(t, "forks.c")
	visit := program.Symbol("visit")
	child, memory, original := stopChild(t, program, int64(visit))
	debugger := debuggertest.StartFile(t, "the debugger", os.Args[0], debuggerCommand,
		fmt.Sprintf("/proc/%d/mem", program.PID), fmt.Sprint(visit), fmt.Sprint(original))
	debugger.Kill()
	debugger.Wait()
	b := []byte{Int3}
	for end := time.Now().Add(10 * time.Second); b[0] == Int3 && time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := memory.ReadAt(b, int64(visit)); err != nil {
			t.Fatal(err)
		}
	}
	if b[0] != original {
		t.Errorf("the child has %#x, want %#x", b[0], original)
	}
	if err := syscall.Kill(child, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if got := program.Ask("one"); got != "unharmed" {
		t.Errorf("it answers %q", got)
	}
}

// stopChild stops a child of the program and writes an int3 into its memory. It returns the
// memory and the original byte.
func stopChild(t *testing.T, program *debuggertest.Program, address int64) (child int, memory *os.File, original byte) {
	t.Helper()
	list := fmt.Sprintf("/proc/%d/task/%d/children", program.PID, program.PID)
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		child, err = strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || syscall.Kill(child, syscall.SIGSTOP) != nil {
			continue // there is none now
		}
		memory, err := os.OpenFile(fmt.Sprintf("/proc/%d/mem", child), os.O_RDWR, 0)
		if err != nil {
			continue // it has ended
		}
		t.Cleanup(func() { _ = memory.Close() })
		var b [1]byte
		if _, err := memory.ReadAt(b[:], address); err != nil || !awaitStopped(child) {
			continue // likewise
		}
		if _, err := memory.WriteAt([]byte{Int3}, address); err == nil {
			return child, memory, b[0]
		}
	}
	t.Fatal("no child was stopped")
	return 0, nil, 0
}

// awaitStopped waits until a process is stopped by a signal, and reports whether it is.
func awaitStopped(pid int) bool {
	for {
		status, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/status", pid))
		switch state := status["State"]; {
		case err != nil || state == "" || strings.Contains("ZX", state[:1]):
			return false
		case state[0] == 'T':
			return true
		}
	}
}
