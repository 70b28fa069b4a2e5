package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// An mi is gdb, asked in its machine interface.
type mi struct {
	*wire

	cmd    *exec.Cmd
	token  int
	thread string // the current one
	said   string // all of the last answer
	before int    // bytes of memory before it recorded
}

// newMI starts gdb, with nothing of the user's and no server for symbols.
func newMI(ctx context.Context) (debugger, error) {
	w, cmd, err := spawn(ctx, []string{"DEBUGINFOD_URLS=", "LC_ALL=C"}, "gdb", "-nx", "-q", "--interpreter=mi3")
	if err != nil {
		return nil, err
	}
	g := &mi{wire: w, cmd: cmd, thread: "1"}
	for _, setting := range []string{"confirm off", "pagination off", "record full insn-number-max 0"} {
		if _, err := g.do("-gdb-set " + setting); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// do asks for something and waits for its result.
func (g *mi) do(command string) (time.Duration, error) {
	took, _, err := g.request(command, false)
	return took, err
}

// move asks for something that ends with a stop, and returns what is told of it.
func (g *mi) move(command string) (took time.Duration, stop string, err error) {
	return g.request(command, true)
}

// console is a command without a form of its own in the interface.
func console(command string) string { return "-interpreter-exec console " + strconv.Quote(command) }

var stopped, failed = []byte("*stopped"), []byte("^error")

func (g *mi) request(command string, moves bool) (time.Duration, string, error) {
	g.token++
	token := []byte(strconv.Itoa(g.token) + "^")
	result, stop := false, !moves
	var bad, where string
	answer, took, err := g.ask(strings.TrimSuffix(string(token), "^")+command, func(line []byte) bool {
		switch {
		case bytes.HasPrefix(line, token):
			result = true
			if bytes.HasPrefix(line[len(token)-1:], failed) {
				bad, stop = string(line), true
			}
		case bytes.HasPrefix(line, stopped):
			where, stop = string(line), true
		}
		return result && stop
	})
	g.said = joined(answer)
	if err == nil && bad != "" {
		err = fmt.Errorf("%s: %s", command, strings.TrimSpace(bad))
	}
	if m := threadID.FindStringSubmatch(where); m != nil {
		g.thread = m[1]
	}
	return took, where, err
}

var (
	threadID   = regexp.MustCompile(`thread-id="(\d+)"`)
	logged     = regexp.MustCompile(`Log contains (\d+) instructions`)
	valueOf    = regexp.MustCompile(`value="(\d+)`)
	residentIn = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
)

func (g *mi) attach(pid int) (time.Duration, error) {
	took, _, err := g.move(fmt.Sprintf("-target-attach %d", pid))
	if err != nil {
		return took, err
	}
	_, more, err := g.frames()
	if err == nil {
		_, err = g.do("-gdb-set scheduler-locking step")
	}
	return took + more, err
}

func (g *mi) frames() (int, time.Duration, error) {
	took, err := g.do("-stack-list-frames 0 9")
	return strings.Count(g.said, "frame={"), took, err
}

func (g *mi) locals() (int, time.Duration, error) {
	took, err := g.do(fmt.Sprintf("-stack-list-variables --thread %s --frame 1 --all-values", g.thread))
	return strings.Count(g.said, "{name="), took, err
}

func (g *mi) step() (time.Duration, error) {
	took, _, err := g.move("-exec-step-instruction")
	return took, err
}

func (g *mi) steps(n int) (time.Duration, error) {
	took, _, err := g.move(console(fmt.Sprintf("stepi %d", n)))
	return took, err
}

func (g *mi) reach(function string) error {
	if err := g.stop(function); err != nil {
		return err
	}
	if _, err := g.run(); err != nil {
		return err
	}
	_, err := g.do("-break-delete")
	return err
}

func (g *mi) stop(function string) error {
	_, err := g.do("-break-insert " + function)
	return err
}

func (g *mi) run() (time.Duration, error) {
	took, stop, err := g.move("-exec-continue")
	if err == nil && !strings.Contains(stop, "breakpoint-hit") {
		err = fmt.Errorf("no breakpoint: %s%s", g.said, stop)
	}
	return took, err
}

func (g *mi) record() error {
	g.before = resident(g.cmd.Process.Pid)
	_, err := g.do(console("record full"))
	return err
}

func (g *mi) until(function string, n int) (int, time.Duration, error) {
	before, err := g.length()
	if err != nil {
		return 0, 0, err
	}
	if err := g.stop(function); err != nil {
		return 0, 0, err
	}
	if _, err := g.do(console(fmt.Sprintf("ignore $bpnum %d", n-1))); err != nil {
		return 0, 0, err
	}
	took, err := g.run()
	if err != nil {
		return 0, took, err
	}
	if _, err := g.do("-break-delete"); err != nil {
		return 0, took, err
	}
	after, err := g.length()
	return after - before, took, err
}

// length returns the number of recorded instructions.
func (g *mi) length() (int, error) {
	if _, err := g.do(console("info record")); err != nil {
		return 0, err
	}
	m := logged.FindStringSubmatch(g.said)
	if m == nil {
		return 0, nil // the log is empty
	}
	return strconv.Atoi(m[1])
}

func (g *mi) back(n int) (time.Duration, error) {
	if n == 1 {
		took, _, err := g.move("-exec-step-instruction --reverse")
		return took, err
	}
	took, _, err := g.move(console(fmt.Sprintf("reverse-stepi %d", n)))
	return took, err
}

func (g *mi) beginning() (time.Duration, error) {
	took, _, err := g.move("-exec-continue --reverse")
	return took, err
}

func (g *mi) present() (time.Duration, error) {
	return g.do(console("record goto end")) // it says nothing of a stop
}

// written watches in software: on the way back through a record, gdb's hardware
// watchpoints see nothing.
func (g *mi) written(variable string) (time.Duration, error) {
	if _, err := g.do("-gdb-set can-use-hw-watchpoints 0"); err != nil {
		return 0, err
	}
	set, err := g.do("-break-watch " + variable)
	if err != nil {
		return set, err
	}
	took, stop, err := g.move("-exec-continue --reverse")
	if err == nil && !strings.Contains(stop, "watchpoint-trigger") {
		err = fmt.Errorf("nothing wrote: %s", stop)
	}
	return set + took, err
}

// size returns the growth of gdb's memory since it began to record.
func (g *mi) size() int { return resident(g.cmd.Process.Pid) - g.before }

// resident returns the resident memory of a process in bytes.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // nothing of what is gone
	m := residentIn.FindSubmatch(text)
	if m == nil {
		return 0
	}
	kib, _ := strconv.Atoi(string(m[1])) // digits
	return kib << 10
}

func (g *mi) value(variable string) (uint64, error) {
	if _, err := g.do("-data-evaluate-expression " + variable); err != nil {
		return 0, err
	}
	m := valueOf.FindStringSubmatch(g.said)
	if m == nil {
		return 0, fmt.Errorf("no value in %s", g.said)
	}
	return strconv.ParseUint(m[1], 10, 64)
}

func (g *mi) close() error {
	_, _ = g.in.Write([]byte("-gdb-exit\n")) // it may be gone
	return g.wire.close()
}
