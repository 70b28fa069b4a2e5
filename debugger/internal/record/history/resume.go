package history

import (
	"context"
	"fmt"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Resume moves the view to the present, lets the process run freely until it
// stops, as [proc.Process.Resume] does, and records the differences as one
// position.
//
// To find them it compares memory with a copy of all writable memory. The first
// copy is complete; later ones need only the pages that were written, if the
// system reports those (see [proc.Process.Written]). If the copy would exceed
// [Options.MaxSnapshot], history restarts at the stop.
func (r *Recorder) Resume(ctx context.Context) (proc.Stop, error) {
	return r.Unrecorded("the process ran", func() (proc.Stop, error) { return r.target.Resume(ctx) })
}

// Unrecorded records as one position what f does with the process without recording its
// instructions: a run, or a call of a function. what describes it in a few words.
func (r *Recorder) Unrecorded(what string, f func() (proc.Stop, error)) (proc.Stop, error) {
	if err := r.ready(); err != nil {
		return proc.Stop{}, err
	}
	a := &attempt{kind: Ran}
	prepare := func() error {
		if err := r.loadVectorStates(); err != nil {
			return err
		}
		r.attempts.prepareBarrier(a, what)
		return nil
	}
	var err error
	if r.stateCached() {
		err = prepare()
	} else {
		err = r.withTracer(prepare)
	}
	if err != nil {
		return proc.Stop{}, err
	}
	began := time.Now()
	stop, err := f()
	r.fresh = false
	switch {
	case stop.Ended():
		r.restart("the process has ended")
		return stop, err
	case stop.Left != 0:
		r.restart("the session went on with a child")
		r.view().threads = nil
		return stop, r.refresh()
	case stop.Why == proc.Executed:
		r.restart("another program was begun")
		r.view().threads = nil
		return stop, r.refresh()
	}
	note := fmt.Sprintf("%v, %v", stop.Why, time.Since(began).Round(time.Microsecond))
	recordErr := r.withTracer(func() error { return r.recordRun(a, stop.Thread, note) })
	if err == nil {
		err = recordErr
	}
	return stop, err
}

// withTracer runs f on the tracer's thread if the target has one, where the
// target's methods cost least.
func (r *Recorder) withTracer(f func() error) error {
	if t, ok := r.target.(interface{ WithTracer(f func() error) error }); ok {
		return t.WithTracer(f)
	}
	return f()
}

// stateCached reports whether memory and vector states are known, so that nothing
// has to be read before the process runs. That is so if the process has not moved
// since its last run.
func (r *Recorder) stateCached() bool {
	for i := range r.view().threads {
		if t := &r.view().threads[i]; t.alive && t.vector == nil {
			return false
		}
	}
	return r.memory.Current()
}

// loadVectorStates reads the vector states of all threads that are not known.
func (r *Recorder) loadVectorStates() error {
	for i := range r.view().threads {
		t := &r.view().threads[i]
		if !t.alive {
			continue
		}
		if err := r.loadVectorState(t); err != nil {
			return err
		}
	}
	return nil
}

// recordRun appends the record of an unrecorded run.
func (r *Recorder) recordRun(a *attempt, id int, note string) error {
	if a.unrecordable != "" {
		r.view().threads = nil
		r.history.append([]byte{byte(Ran), 0, 0})
		r.restart(a.unrecordable)
		return r.refresh()
	}
	if err := r.records.remap(a); err != nil {
		return err
	}
	extras, n, err := r.records.runThreads()
	if err != nil {
		return err
	}
	if len(a.removed)+len(a.added) > 0 {
		extras = appendExtra(extras, extraMaps, appendMaps(appendMaps(nil, a.removed), a.added))
		n++
	}
	extras = appendExtra(extras, extraNote, []byte(note))
	n++
	current := max(r.index(id), 0)
	var none ptrace.Regs // the thread's are among the extras
	r.records.buf = appendRegs(appendHead(r.records.buf[:0], head{kind: Ran, thread: current}), &none, &none)
	k, err := r.records.appendMemory(a)
	if err != nil {
		return err
	}
	if k > 0 {
		r.records.buf[0] |= partMemory
	}
	r.records.buf[0] |= partExtra
	r.records.buf = append(appendNumber(r.records.buf, uint64(n)), extras...)
	r.view().current = current
	r.history.append(r.records.buf)
	r.memory.Recorded()
	r.invalidateCode()
	if err := r.refreshThreads(); err != nil {
		return err
	}
	r.fresh = true // the mappings have been listed
	return nil
}

// runThreads returns the items of the extra part about threads: changed, new and
// ended ones.
func (rw *recordWriter) runThreads() (extras []byte, n int, err error) {
	infos, err := rw.target.Threads()
	if err != nil {
		return nil, 0, err
	}
	v := rw.recorder.view()
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
		regs, err := rw.target.Regs(info.ID)
		if err != nil {
			return nil, 0, err
		}
		i := rw.recorder.index(info.ID)
		if i < 0 {
			v.threads = append(v.threads, thread{id: info.ID, alive: true, regs: regs})
			extras = appendExtra(extras, extraThread, appendNumber(nil, uint64(len(v.threads)-1)))
		} else if extras, err = rw.runThread(extras, i, &regs); err != nil {
			return nil, 0, err
		}
		n++
	}
	return extras, n, nil
}

// runThread appends the changes of a thread.
func (rw *recordWriter) runThread(extras []byte, i int, regs *ptrace.Regs) ([]byte, error) {
	t := &rw.recorder.view().threads[i]
	now, err := rw.target.XState(t.id, rw.vector)
	if err != nil {
		return nil, err
	}
	rw.vector = now
	extras = appendExtra(extras, extraOther, appendOther(nil, i, &t.regs, regs, t.vector, now))
	t.regs = *regs
	t.vector = append(t.vector[:0], now...)
	return extras, nil
}
