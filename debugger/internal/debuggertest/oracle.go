package debuggertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// An Ability of gdb is something that it cannot do on every machine. gdb 13, for example,
// cannot write the registers of a processor with AMX, and so cannot call functions there.
type Ability string

// The abilities. Each includes that gdb runs a program to a breakpoint and reads a variable.
const (
	Run  Ability = "run a program"
	Call Ability = "call functions of a program"
	Core Ability = "make a core file"
)

// A question is a command of gdb whose answer is known.
type question struct{ command, answer string }

// questions holds the commands that a gdb with an ability answers where known.c stops.
var questions = map[Ability][]question{
	Run:  {{"print number", "$1 = 4711"}, {"print n", "$2 = 0"}},
	Call: {{"print plus_two(40)", "$1 = 42"}, {"print halved(5.0)", "$2 = 2.5"}},
	Core: {{"generate-core-file %s", "Saved corefile %s"}},
}

// GDB returns the path of gdb. It skips the test, with the reason, if gdb is not installed,
// or has not the abilities that the test needs: it is asked once for something known. What
// gdb cannot do on a machine says nothing about the debugger, so this is not a failure even
// where all programs must be installed.
func GDB(t testing.TB, needs ...Ability) string {
	t.Helper()
	path, err := exec.LookPath("gdb")
	if err != nil {
		t.Skip("gdb, with which this test compares, is not installed")
	}
	program := Build(t, "known.c")
	for _, ability := range append([]Ability{Run}, needs...) {
		if err := examined(t.Context(), path, program, ability); err != nil {
			t.Skipf("gdb is not fit to compare with on this machine: %v", err)
		}
	}
	return path
}

var (
	examinations sync.Mutex
	results      = map[[2]string]error{}
)

// examined returns why a gdb has not an ability. It asks each once.
func examined(ctx context.Context, path, program string, ability Ability) error {
	examinations.Lock()
	defer examinations.Unlock()
	key := [2]string{path, string(ability)}
	err, known := results[key]
	if !known {
		err = examine(ctx, path, program, ability)
		if ctx.Err() == nil {
			results[key] = err
		}
	}
	return err
}

func examine(ctx context.Context, path, program string, ability Ability) error {
	dir, err := os.MkdirTemp("", "gdb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	argv := []string{"-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "set width 0", "-ex", "break place", "-ex", "run"}
	core := filepath.Join(dir, "core")
	for _, q := range questions[ability] {
		argv = append(argv, "-ex", strings.ReplaceAll(q.command, "%s", core))
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	out, failed := exec.CommandContext(ctx, path, append(argv, "-ex", "kill", program)...).CombinedOutput()
	for _, q := range questions[ability] {
		if answer := strings.ReplaceAll(q.answer, "%s", core); !strings.Contains(string(out), answer) {
			return fmt.Errorf("it cannot %s: %s does not answer %q: %w: %s", ability, q.command, answer, failed, lastLines(out))
		}
	}
	return nil
}

// lastLines returns the end of an output.
func lastLines(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}
