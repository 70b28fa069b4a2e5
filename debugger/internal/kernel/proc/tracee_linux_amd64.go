package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A tracee holds the facts about a process that all parts of a Process need.
type tracee struct {
	pid      int
	id       atomic.Int64 // pid, for callers on other threads
	launched bool
	filtered bool // it has a seccomp filter that permits everything
	is32Bit  bool // exec has started a 32-bit program
	options  Options
	actions  actionTable
	log      *slog.Logger
	tracer   *ptrace.Tracer
	memory   *ptrace.Memory

	ended       *Stop
	runningFree bool      // after MaxStop: breakpoints and signals do not stop
	kept        io.Closer // of the last loan, or nil

	events eventHandler
}

// An eventHandler waits for events and handles them. An event concerns all parts; this
// is for those below the one that handles it.
type eventHandler interface {
	// awaitEnd handles events until the process has ended, for a short time.
	awaitEnd() error
	// awaitStop handles one event, which a thread that runs makes before deadline.
	awaitStop(deadline time.Time) error
}

func newTracee(pid int, options Options, tracer *ptrace.Tracer) *tracee {
	t := &tracee{options: options, actions: defaultActions(), log: options.Log, tracer: tracer}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	t.log = t.log.With("component", "proc", "pid", pid)
	t.setID(pid)
	return t
}

// setID sets the process id.
func (t *tracee) setID(pid int) {
	t.pid = pid
	t.id.Store(int64(pid))
}

func (t *tracee) readMaps() (procfs.Maps, error) {
	text, err := procfs.ReadFile(t.file("maps"))
	if err != nil {
		return nil, err
	}
	return procfs.ParseMaps(strings.NewReader(text))
}

// file returns the path of a file in /proc/PID.
func (t *tracee) file(name string) string {
	return fmt.Sprintf("/proc/%d/%s", t.id.Load(), name)
}

// require64Bit returns a *PermissionError if the process has executed a 32-bit
// program since it was attached to.
func (t *tracee) require64Bit() error {
	if t.is32Bit {
		return &PermissionError{PID: t.pid, Cause: cause32Bit, Cure: cure32Bit}
	}
	return nil
}

// checkEnded returns ErrExited in place of an error for a missing thread or memory
// if the process has ended. Stopped threads disappear only when the process is
// killed, but it may take a while until all have, so it waits for that.
func (t *tracee) checkEnded(err error) error {
	if !errors.Is(err, ptrace.ErrGone) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	_ = t.tracer.Do(context.Background(), t.events.awaitEnd)
	if t.ended != nil {
		return ErrExited
	}
	return err
}

// unlessEnded runs f, or returns ErrExited if the process has ended.
func (t *tracee) unlessEnded(f func() error) error {
	if t.ended != nil {
		return ErrExited
	}
	return f()
}

// closeKept closes what the last loan has left.
func (t *tracee) closeKept() {
	if t.kept != nil {
		_ = t.kept.Close() // there is nothing to be done about it
	}
	t.kept = nil
}

// hasThread reports whether a thread belongs to the process.
func (t *tracee) hasThread(tid int) bool {
	_, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/task/%d/status", t.pid, tid))
	return err == nil
}

// tracedByUs reports whether a thread is already traced by this program.
func (t *tracee) tracedByUs(id int) bool {
	return tracedHere(fmt.Sprintf("/proc/%d/task/%d", t.pid, id))
}

// innerPID returns the id of the process in its own pid namespace.
func (t *tracee) innerPID() int {
	s, err := procfs.ReadStatus(fmt.Sprintf("/proc/%d/status", t.pid))
	ids := strings.Fields(s["NSpid"])
	if err != nil || len(ids) == 0 {
		return t.pid
	}
	id, err := strconv.Atoi(ids[len(ids)-1])
	if err != nil {
		return t.pid
	}
	return id
}

// fromOutside reports whether a signal has nothing to do with what the thread executes.
func (t *tracee) fromOutside(sig signalNumber, info ptrace.SigInfo) bool {
	if sig == unix.SIGABRT {
		return false // abort(3) does not return
	}
	for _, fault := range faults {
		if sig == fault && !info.Sent() {
			return false
		}
	}
	const (
		user, queue, thread = 0, -1, -6 // SI_USER, SI_QUEUE, SI_TKILL
	)
	code := info.Code()
	return code != user && code != queue && code != thread || info.Sender() != t.innerPID()
}

// kcmpVM is KCMP_VM of kcmp(2).
const kcmpVM = 1

// sharesMemory reports whether a child shares the memory of the process. It
// returns false if kcmp(2) fails, because most programs use fork.
func (t *tracee) sharesMemory(child int) bool {
	same, _, e := unix.Syscall6(unix.SYS_KCMP, uintptr(t.pid), uintptr(child), kcmpVM, 0, 0, 0)
	return e == 0 && same == 0
}
