package history

import (
	"context"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/ptrace"
)

// Resume lets the process run freely until something stops it, as
// [proc.Process.Resume] does, and records what came of it as one position. The
// view goes to the present first.
//
// Finding out what has changed takes a copy of all memory that the process can
// write: of all the first time, of what was written from then on if the system
// can tell (see [proc.Process.Written]). When there is more than
// [Options.MaxSnapshot], history begins at the stop.
func (r *Recorder) Resume(ctx context.Context) (proc.Stop, error) {
	if err := r.ready(); err != nil {
		return proc.Stop{}, err
	}
	a := &attempt{kind: Ran}
	prepare := func() error {
		if err := r.learnAll(); err != nil {
			return err
		}
		r.prepareBarrier(a, "the process ran")
		return nil
	}
	var err error
	if r.knowsAll() {
		err = prepare()
	} else {
		err = r.together(prepare)
	}
	if err != nil {
		return proc.Stop{}, err
	}
	began := time.Now()
	stop, err := r.target.Resume(ctx)
	r.fresh = false
	switch {
	case stop.Ended():
		r.restart("the process has ended")
		return stop, err
	case stop.Why == proc.Executed:
		r.restart("another program was begun")
		r.view().threads = nil
		return stop, r.refresh()
	}
	note := fmt.Sprintf("%v, %v", stop.Why, time.Since(began).Round(time.Microsecond))
	recordErr := r.together(func() error { return r.recordRun(a, stop.Thread, note) })
	if err == nil {
		err = recordErr
	}
	return stop, err
}

// together calls f where each of the target's methods costs least.
func (r *Recorder) together(f func() error) error {
	if t, ok := r.target.(interface{ WithTracer(f func() error) error }); ok {
		return t.WithTracer(f)
	}
	return f()
}

// knowsAll says whether the target need not be asked for anything before it runs,
// as when it stands where the last run has led to.
func (r *Recorder) knowsAll() bool {
	for i := range r.view().threads {
		if t := &r.view().threads[i]; t.alive && t.vector == nil {
			return false
		}
	}
	return r.image.current(r.history.count)
}

// learnAll makes sure that the vector states of all threads are known.
func (r *Recorder) learnAll() error {
	for i := range r.view().threads {
		t := &r.view().threads[i]
		if !t.alive {
			continue
		}
		if err := r.learn(t); err != nil {
			return err
		}
	}
	return nil
}

// recordRun makes the record of what has changed while the process ran.
func (r *Recorder) recordRun(a *attempt, id int, note string) error {
	if a.lost != "" {
		r.view().threads = nil
		r.history.append([]byte{byte(Ran), 0, 0})
		r.restart(a.lost)
		return r.refresh()
	}
	if err := r.remap(a); err != nil {
		return err
	}
	extras, n, err := r.runThreads()
	if err != nil {
		return err
	}
	if len(a.gone)+len(a.come) > 0 {
		extras = appendExtra(extras, extraMaps, appendMaps(appendMaps(nil, a.gone), a.come))
		n++
	}
	extras = appendExtra(extras, extraNote, []byte(note))
	n++
	current := max(r.index(id), 0)
	var none ptrace.Regs // the thread's are among the extras
	r.buf = appendRegs(appendHead(r.buf[:0], head{kind: Ran, thread: current}), &none, &none)
	k, err := r.appendMemory(a)
	if err != nil {
		return err
	}
	if k > 0 {
		r.buf[0] |= partMemory
	}
	r.buf[0] |= partExtra
	r.buf = append(appendNumber(r.buf, uint64(n)), extras...)
	r.view().current = current
	r.history.append(r.buf)
	r.image.count = r.history.count
	r.forgetCode()
	if err := r.refreshThreads(); err != nil {
		return err
	}
	r.fresh = true // the mappings have been listed
	return nil
}

// runThreads makes the extras about threads: how those that are left have
// changed, which came, and which are gone.
func (r *Recorder) runThreads() (extras []byte, n int, err error) {
	infos, err := r.target.Threads()
	if err != nil {
		return nil, 0, err
	}
	v := r.view()
	left := make(map[int]bool)
	for _, info := range infos {
		left[info.ID] = true
	}
	for i := range v.threads {
		if t := &v.threads[i]; t.alive && !left[t.id] {
			t.alive = false
			extras = appendExtra(extras, extraThread, appendNumber(nil, uint64(i)))
			n++
		}
	}
	for _, info := range infos {
		regs, err := r.target.Regs(info.ID)
		if err != nil {
			return nil, 0, err
		}
		i := r.index(info.ID)
		if i < 0 {
			v.threads = append(v.threads, thread{id: info.ID, alive: true, regs: regs})
			extras = appendExtra(extras, extraThread, appendNumber(nil, uint64(len(v.threads)-1)))
		} else if extras, err = r.runThread(extras, i, &regs); err != nil {
			return nil, 0, err
		}
		n++
	}
	return extras, n, nil
}

// runThread appends how a thread has changed.
func (r *Recorder) runThread(extras []byte, i int, regs *ptrace.Regs) ([]byte, error) {
	t := &r.view().threads[i]
	now, err := r.target.XState(t.id, r.vector)
	if err != nil {
		return nil, err
	}
	r.vector = now
	extras = appendExtra(extras, extraOther, appendOther(nil, i, &t.regs, regs, t.vector, now))
	t.regs = *regs
	t.vector = append(t.vector[:0], now...)
	return extras, nil
}
