package proc

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/proc/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Attach stops all threads of a process and begins to debug it. It answers
// ErrNotFound and *PermissionError.
func Attach(ctx context.Context, pid int, options Options) (*Process, error) {
	if err := checkAttach(pid); err != nil {
		return nil, err
	}
	claim := guard.Claim(ctx, pid)
	p, err := open(ctx, pid, options, func(p *Process) error { return p.seize(pid) })
	if err != nil {
		_ = claim.Close()
		return nil, err
	}
	p.claim = claim
	return p, nil
}

// open makes a Process and fills it on its tracer's thread.
func open(ctx context.Context, pid int, options Options, fill func(*Process) error) (*Process, error) {
	tracer, err := ptrace.Start()
	if err != nil {
		return nil, err
	}
	p := newProcess(pid, options, tracer)
	err = tracer.Do(ctx, func() error {
		tracer.BeforeDrop(p.beforeDrop)
		err := fill(p)
		if err == nil && p.memory == nil {
			p.memory, err = ptrace.OpenMemory(p.pid)
		}
		if err != nil && p.ended == nil {
			err = errors.Join(err, p.letAllGo())
		}
		return err
	})
	if err != nil {
		tracer.Close()
		if p.memory != nil {
			_ = p.memory.Close()
		}
		return nil, refused(p.pid, err)
	}
	p.log = p.log.With("pid", p.pid)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.startDriftLocked()
	return p, nil
}

// refused names the reasons that only trying can show.
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

// seize traces all threads and stops them. Threads that are born meanwhile are
// traced from birth if their parent was, and else found by the next look.
func (p *Process) seize(pid int) (err error) {
	if p.memory, err = ptrace.OpenMemory(pid); err != nil {
		return notFound(err)
	}
	for {
		found, err := p.seizeNew()
		if err != nil {
			return err
		}
		if !found {
			break
		}
	}
	if p.threads[pid] == nil {
		return ErrNotFound
	}
	if err := p.stopAll(); err != nil {
		return err
	}
	if p.ended != nil {
		return ErrExited
	}
	return nil
}

// seizeNew traces the threads that are not traced yet and says whether there
// were any.
func (p *Process) seizeNew() (bool, error) {
	ids, err := threadIDs(p.pid)
	if err != nil {
		return false, notFound(err)
	}
	found := false
	for _, id := range ids {
		if p.threads[id] != nil {
			continue
		}
		err := p.tracer.Seize(id, ptrace.Options)
		switch {
		case errors.Is(err, ptrace.ErrGone):
			continue
		case errors.Is(err, unix.EPERM) && p.isTracer(id):
			p.adopt(id)
		case err != nil:
			return false, err
		default:
			p.threads[id] = &thread{id: id, running: true}
			_ = p.tracer.Interrupt(id) // one that is gone is told
		}
		found = true
	}
	return found, nil
}

// isTracer says whether a thread is traced by this program already.
func (p *Process) isTracer(id int) bool {
	return tracedHere(fmt.Sprintf("/proc/%d/task/%d", p.pid, id))
}

// adopt takes in a thread that is traced from birth before its birth is told.
func (p *Process) adopt(id int) {
	p.threads[id] = &thread{id: id, running: true, fresh: true}
	if first, ok := p.early[id]; ok {
		delete(p.early, id)
		p.absorb(first)
	}
}

// threadIDs lists the threads of a process.
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

// ids are the threads that are known.
func (p *Process) ids() []int { return slices.Sorted(maps.Keys(p.threads)) }

// Launch starts a program, stopped before its first instruction. It is killed
// when this program ends while it is being debugged.
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
			return spec.notBegun(err)
		}
		p.pid, p.current, p.launched = pid, pid, true
		p.threads[pid] = &thread{id: pid}
		if narrow(pid) {
			return errors.Join(spec.tooNarrow(), p.killNow())
		}
		return nil
	})
}

// attributes returns the attributes of the new process. It has a process group
// of its own, so that keys which end this program do not end it.
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
	return &syscall.ProcAttr{Dir: s.Dir, Env: env, Files: files, Sys: &syscall.SysProcAttr{Setpgid: true}}
}
