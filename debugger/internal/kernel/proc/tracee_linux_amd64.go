package proc

import (
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A tracee is what all parts of a Process know of it.
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
