package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Attach starts debugging a process and stops all its threads. Its errors include
// ErrNotFound and *PermissionError.
func Attach(ctx context.Context, pid int, options Options) (*Process, error) {
	if err := checkAttach(pid); err != nil {
		return nil, err
	}
	claim := guard.Claim(ctx, pid)
	p, err := open(ctx, pid, options, func(p *Process) error { return p.events.seize(pid) })
	if err != nil {
		_ = claim.Close()
		return nil, err
	}
	p.rescue.claim = claim
	return p, nil
}

// open creates a Process and calls fill on its tracer's thread.
func open(ctx context.Context, pid int, options Options, fill func(*Process) error) (*Process, error) {
	tracer, err := ptrace.Start()
	if err != nil {
		return nil, err
	}
	p := newProcess(pid, options, tracer)
	err = tracer.Do(ctx, func() error {
		tracer.BeforeConsume(p.events.beforeConsume)
		err := fill(p)
		if err == nil && p.tracee.memory == nil {
			p.tracee.memory, err = ptrace.OpenMemory(p.tracee.pid)
		}
		if err != nil && p.tracee.ended == nil {
			err = errors.Join(err, p.events.detachAll())
		}
		return err
	})
	if err != nil {
		tracer.Close()
		if p.tracee.memory != nil {
			_ = p.tracee.memory.Close()
		}
		return nil, refused(p.tracee.pid, err)
	}
	p.tracee.log = p.tracee.log.With("pid", p.tracee.pid)
	p.access.mu.Lock()
	defer p.access.mu.Unlock()
	p.access.startMaxStopLocked()
	return p, nil
}

// refused converts errors of the kernel that checkAttach cannot predict.
func refused(pid int, err error) error {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return &PermissionError{
			PID: pid, Cause: "the system does not permit it",
			Cure: "run the debugger as the user of the process or with CAP_SYS_PTRACE; in a container, permit ptrace in its seccomp profile",
		}
	case errors.Is(err, ptrace.ErrGone), errors.Is(err, ErrExited):
		return ErrNotFound
	}
	return err
}

// seize traces all threads and stops them. Threads that are created meanwhile are
// traced automatically if their creator is, and otherwise found by the next
// iteration.
func (ev *events) seize(pid int) (err error) {
	if ev.tracee.memory, err = ptrace.OpenMemory(pid); err != nil {
		return notFound(err)
	}
	for {
		found, err := ev.seizeNew()
		if err != nil {
			return err
		}
		if !found {
			break
		}
	}
	if ev.threads.byID[pid] == nil {
		return ErrNotFound
	}
	if err := ev.stopAll(); err != nil {
		return err
	}
	if ev.tracee.ended != nil {
		return ErrExited
	}
	return nil
}

// seizeNew traces the threads that are not traced yet and reports whether there
// were any.
func (ev *events) seizeNew() (bool, error) {
	ids, err := threadIDs(ev.tracee.pid)
	if err != nil {
		return false, notFound(err)
	}
	found := false
	for _, id := range ids {
		if ev.threads.byID[id] != nil {
			continue
		}
		err := ev.tracer.Seize(id, ptrace.Options)
		switch {
		case errors.Is(err, ptrace.ErrGone):
			continue
		case errors.Is(err, unix.EPERM) && ev.tracee.tracedByUs(id):
			ev.adopt(id)
		case err != nil:
			return false, err
		default:
			ev.threads.byID[id] = &thread{id: id, running: true}
			_ = ev.tracer.Interrupt(id) // the end of a thread is an event
		}
		found = true
	}
	return found, nil
}

// adopt adds a thread that is traced automatically, before the event that
// announces it.
func (ev *events) adopt(id int) {
	ev.threads.byID[id] = &thread{id: id, running: true, starting: true}
	if first, ok := ev.early[id]; ok {
		delete(ev.early, id)
		ev.handle(first)
	}
}

// threadIDs returns the ids of the threads of a process.
func threadIDs(pid int) ([]int, error) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	var ids []int
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// Launch starts a program and stops it before its first instruction. The program
// is killed if this one ends while debugging it.
func Launch(ctx context.Context, spec Spec, options Options) (*Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	attr := spec.attributes(null)
	argv := append([]string{spec.Path}, spec.Args...)
	return open(ctx, 0, options, func(p *Process) error {
		pid, err := p.tracer.Launch(spec.Path, argv, attr, ptrace.Options|ptrace.ExitKill)
		if err != nil {
			return spec.launchError(err)
		}
		p.tracee.setID(pid)
		p.threads.current, p.tracee.launched = pid, true
		p.threads.byID[pid] = &thread{id: pid}
		if is32Bit(pid) {
			return errors.Join(spec.error32Bit(), p.events.kill())
		}
		return nil
	})
}

// attributes returns the attributes of the new process. It gets its own process
// group, so that a Ctrl-C for this program does not end it, and with a terminal
// its own session.
func (s Spec) attributes(null *os.File) *syscall.ProcAttr {
	env := s.Env
	if env == nil {
		env = os.Environ()
	}
	files := make([]uintptr, max(3, len(s.Files)))
	for i := range files {
		files[i] = null.Fd()
		if i < len(s.Files) && s.Files[i] != nil {
			files[i] = s.Files[i].Fd()
		}
	}
	sys := &syscall.SysProcAttr{Setpgid: !s.Terminal, Setsid: s.Terminal, Setctty: s.Terminal}
	return &syscall.ProcAttr{Dir: s.Dir, Env: env, Files: files, Sys: sys}
}

// seizeChild traces a child that executes spin, and gives it its code again.
func (ev *events) seizeChild(code Patch) error {
	options := ptrace.Options
	if ev.tracee.launched {
		options |= ptrace.ExitKill
	}
	if err := ev.tracer.Seize(ev.tracee.pid, options); err != nil {
		return err
	}
	ev.threads.byID[ev.tracee.pid] = &thread{id: ev.tracee.pid, running: true}
	if err := ev.tracer.Interrupt(ev.tracee.pid); err != nil {
		return err
	}
	err := ev.tracee.checkEnded(ev.stopAll())
	_, failed := ev.tracee.memory.Write(code.Address, code.Data)
	if j := ev.rescue.guard.Journal(); j != nil {
		j.Publish(guard.NoWork)
		j.Truncate(0)
	}
	return errors.Join(err, failed)
}
