package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Loan is a process that another package runs, see [Process.Lend].
type Loan struct {
	Tracer  *ptrace.Tracer
	PID     int
	Threads []int // in ascending order; all are in event stops
	Pause   <-chan struct{}

	Launched bool // by the debugger, or a child of such a process
	Options  int  // of ptrace(2), for all threads, also at the end

	// Inject makes a thread in an event stop execute a system call, as [Process.Inject]
	// does: the process survives the end of this program meanwhile. Events of other
	// threads are passed to other, or kept until the end of the loan if it is nil.
	Inject func(tid int, number uint64, args [6]uint64, other func(ptrace.Event)) (uint64, error)

	// What the borrower tells when it returns the process.
	Filtered bool                   // it has a seccomp filter that permits everything
	Ended    *Stop                  // the process has ended
	Executed bool                   // it executes another program
	Signals  map[int]ptrace.SigInfo // of threads that are in signal-delivery stops
	Current  int                    // the thread of the stop, or 0; at the beginning that of the last one

	// Reported has the signals that were reported, by thread. At the beginning they
	// arrive again, perhaps behind others. The borrower removes those that it delivers,
	// and adds those that it reports.
	Reported map[int]syscall.Signal

	// Again has signals that are sent again at the end: their threads have left their
	// signal-delivery stops.
	Again map[int]ptrace.SigInfo

	// Kept is kept by the borrower for the next loan, or nil. It is closed when the process
	// ends, executes another program or is detached from.
	Kept io.Closer

	// Action returns the action for a signal.
	Action func(sig syscall.Signal) Action
}

// Lend calls f on the tracer's thread. The process then has nothing of the debugger:
// no breakpoints, handlers or deferred signals. Signals that were to be delivered wait in
// the kernel. f may let the threads run, and leaves all of them stopped. A value in Pause,
// and the end of ctx, ask it to do so. Meanwhile other methods return ErrRunning.
func (p *Process) Lend(ctx context.Context, f func(*Loan) error) error {
	return p.access.withTracerRunning(ctx, func() error {
		if p.tracee.ended != nil {
			return ErrExited
		}
		loan, err := p.beginLoan()
		if err != nil {
			return p.tracee.checkEnded(err)
		}
		loan.Kept, p.tracee.kept = p.tracee.kept, nil
		p.tracer.BeforeConsume(nil)
		err = f(loan)
		p.tracer.BeforeConsume(p.events.beforeConsume)
		return errors.Join(err, p.endLoan(loan))
	})
}

// beginLoan removes what the debugger has in the process.
func (p *Process) beginLoan() (*Loan, error) {
	if p.children.mode != FollowParent {
		return nil, errFollows
	}
	p.threads.unpin()
	p.writes.unwatch()
	p.code.drop()
	err := p.execution.quiesce()
	reported := p.threads.reportedSignals()
	for _, id := range p.threads.ids() {
		t := p.threads.byID[id]
		if err != nil || t == nil {
			continue
		}
		if t.vfork || t.group {
			return nil, fmt.Errorf("thread %d waits for a child or is stopped by a signal: %w", id, errBusy)
		}
		p.threads.deferSignal(t)
		err = p.injection.sendDeferred(t)
	}
	err = errors.Join(err, p.traps.restore(), p.execution.quiesce())
	if p.tracee.ended != nil {
		return nil, ErrExited
	}
	p.rescue.prepare()
	options := ptrace.Options
	if p.tracee.launched {
		options |= ptrace.ExitKill
	}
	return &Loan{
		Tracer: p.tracer, PID: p.tracee.pid, Threads: p.threads.ids(), Pause: p.execution.pause, Launched: p.tracee.launched, Options: options, Signals: map[int]ptrace.SigInfo{},
		Current: p.threads.current, Inject: p.injection.once, Reported: reported, Again: map[int]ptrace.SigInfo{}, Action: p.tracee.actions.of,
	}, err
}

// errFollows is returned for a process whose children the session follows.
var errFollows = errors.New("the session follows its children")

// endLoan finds out what has become of the process.
func (p *Process) endLoan(l *Loan) error {
	clear(p.cache.threads)
	p.code.drop()
	p.breakpoints.forgetSharers()
	p.tracee.kept, p.tracee.filtered = l.Kept, p.tracee.filtered || l.Filtered
	switch {
	case l.Ended != nil:
		p.events.end(*l.Ended)
		return nil
	case l.Executed:
		p.events.onExec(&thread{id: p.tracee.pid})
	}
	ids, err := threadIDs(p.tracee.pid)
	if err != nil {
		return notFound(err)
	}
	clear(p.threads.byID)
	for _, id := range ids {
		if state := procfs.ThreadStat(p.tracee.pid, id, procfs.StatState); state == "Z" || state == "X" || state == "" {
			continue
		}
		t := &thread{id: id}
		if info, ok := l.Signals[id]; ok {
			t.signal = signalled{info.Signal(), info}
		}
		p.threads.byID[id] = t
	}
	if len(p.threads.byID) == 0 { // killed meanwhile; this program may be its parent and must wait for it
		if err := p.events.awaitEnd(); err != nil {
			p.events.end(Stop{Why: Exited, Thread: p.tracee.pid, Status: UnknownStatus})
		}
		return nil
	}
	if p.threads.current = l.Current; p.threads.byID[p.threads.current] == nil {
		p.threads.current = p.threads.ids()[0]
	}
	return p.tracee.checkEnded(errors.Join(p.threads.replaceMemory(), p.injection.sendAgain(l)))
}
