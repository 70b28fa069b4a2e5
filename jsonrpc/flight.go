package jsonrpc

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A job is one request on its way to its answer. One that ends where it was read,
// without having waited or run beside the reader, is used again; its context is
// not, for what a handler derived from that may outlive it.
type job struct {
	conn     *Conn
	req      Request
	ctx      *requestContext
	sequence string
	bytes    int    // what it holds of the queue's bytes
	out      []byte // its answer
	gone     bool   // cancelled in time: not answered; guarded by flight.mu
	batch    *batch // the batch that gathers the answer, nil outside one
}

// newJob is for the reading goroutine.
func (c *Conn) newJob(req *Request) *job {
	j := c.spare
	if c.spare = nil; j == nil {
		j = &job{conn: c}
	}
	j.req, j.ctx = *req, c.contexts.next(c.values)
	return j
}

func (j *job) run() {
	if limit := j.conn.cfg.MaxBatchAnswer; j.batch != nil && j.batch.size() > limit {
		if !j.req.IsNotification() {
			j.out = appendRefusal(j.out, j.req.ID, true, batchTooLarge(limit))
		}
		return
	}
	j.out = answer(j.ctx, j.conn.handler, &j.req, j.out, j.conn.cfg.Logger)
}

// send writes the answer, if there is one. The job's out is then memory that
// may be used again.
func (j *job) send(flush bool) {
	switch {
	case j.batch != nil:
		j.batch.add(j.conn, j.out)
	case len(j.out) > 0:
		j.out, _ = j.conn.out.give(j.out, flush) // a dead stream is found by the reader
	}
}

// A flight is what runs beside the reading goroutine, and what waits.
type flight struct {
	conn  *Conn
	quiet atomic.Bool // whether running is 0; set by whoever changed that, with mu

	mu      sync.Mutex
	changed sync.Cond
	running int
	jobs    map[*job]struct{} // running or waiting
	byID    map[string]*job   // those that can be cancelled
	load    map[string]int    // jobs by sequence, running or waiting
	busy    map[string]int    // jobs by sequence, running
	waiting []*job            // in arrival order
	bytes   int               // of the waiting ones
	closed  bool
}

func (f *flight) init(c *Conn) {
	f.conn, f.changed.L = c, &f.mu
	f.quiet.Store(true)
	f.jobs, f.byID = map[*job]struct{}{}, map[string]*job{}
	f.load, f.busy = map[string]int{}, map[string]int{}
}

// An admission is what becomes of a request.
type admission int

const (
	runHere admission = iota
	queued
	duplicate
)

// admit decides whether the job may run on the reading goroutine. One that has
// to wait takes a copy of its message along; while the queue is full, the
// reader waits here, and with it the other side.
func (f *flight) admit(j *job) admission {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byID[j.req.ID.String()] != nil {
		return duplicate
	}
	if f.freeLocked(j) {
		return runHere
	}
	f.queueLocked(j)
	return queued
}

func (f *flight) freeLocked(j *job) bool {
	return f.running < f.conn.cfg.MaxRunning && (j.sequence == "" || f.load[j.sequence] == 0)
}

func (f *flight) queueLocked(j *job) {
	j.own()
	for !f.closed && f.running > 0 && (len(f.waiting) >= f.conn.cfg.MaxQueued || f.bytes+j.bytes > f.conn.cfg.MaxQueuedBytes) {
		f.changed.Wait()
	}
	if f.closed {
		return
	}
	free := f.freeLocked(j) // nobody was there to wait for, or they left while we waited
	f.registerLocked(j)
	f.waiting = append(f.waiting, j)
	f.bytes += j.bytes
	if free || f.running == 0 {
		f.startLocked()
	}
}

// own copies what the job shares with the reader's buffer.
func (j *job) own() {
	j.req.ID = j.req.ID.Clone()
	j.req.Params = append([]byte(nil), j.req.Params...)
	if len(j.req.Params) == 0 {
		j.req.Params = nil
	}
	j.bytes = len(j.req.ID.raw) + len(j.req.Params)
}

func (f *flight) registerLocked(j *job) {
	if !j.req.IsNotification() {
		f.byID[j.req.ID.String()] = j
	}
	f.jobs[j] = struct{}{}
	f.load[j.sequence]++
	if f.closed {
		j.ctx.end(context.Canceled)
	}
}

// adopt makes the job of an odd turn one that runs beside the reader. It
// reports whether the turn was still that one.
func (f *flight) adopt(turn uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.conn
	if !c.turn.CompareAndSwap(turn, turn+1) {
		return false
	}
	j := c.current
	if j == nil {
		return true // a write, of which nobody need know
	}
	if c.sequencer != nil && !j.req.IsNotification() {
		j.sequence = c.sequencer.Sequence(&j.req)
	}
	f.registerLocked(j)
	f.running++
	f.quiet.Store(false)
	f.busy[j.sequence]++
	return true
}

// startLocked lets a goroutine of its own work off the queue, for batches and for a
// queue that nobody else would come back to.
func (f *flight) startLocked() {
	next := f.nextLocked()
	if next == nil {
		return
	}
	f.quiet.Store(false)
	go func() {
		next.run()
		f.work(next)
	}()
}

// work finishes a job and goes on with what waits and may run now.
func (f *flight) work(j *job) {
	for j != nil {
		done := f.leave(j)
		if !done {
			j.send(true)
		}
		j.ctx.end(context.Canceled)
		if j = f.next(j); j != nil {
			j.run()
		}
	}
}

// leave takes the job off the list of what can be cancelled, and reports
// whether it was.
func (f *flight) leave(j *job) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !j.req.IsNotification() && f.byID[j.req.ID.String()] == j {
		delete(f.byID, j.req.ID.String())
	}
	if j.gone && j.batch != nil {
		j.out = nil
		return false // the batch still counts it
	}
	return j.gone
}

// next frees what the job held and picks the first that waits and may run.
func (f *flight) next(j *job) *job {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running--
	f.unloadLocked(j)
	if f.busy[j.sequence]--; f.busy[j.sequence] == 0 {
		delete(f.busy, j.sequence)
	}
	next := f.nextLocked()
	f.quiet.Store(f.running == 0)
	f.changed.Broadcast()
	return next
}

func (f *flight) unloadLocked(j *job) {
	delete(f.jobs, j)
	if f.load[j.sequence]--; f.load[j.sequence] == 0 {
		delete(f.load, j.sequence)
	}
}

// nextLocked takes the first waiting job whose sequence has nothing before it.
func (f *flight) nextLocked() *job {
	if f.running >= f.conn.cfg.MaxRunning {
		return nil
	}
	for i, j := range f.waiting {
		if j.sequence != "" && f.busy[j.sequence] > 0 {
			continue
		}
		f.waiting = slices.Delete(f.waiting, i, i+1)
		f.bytes -= j.bytes
		f.running++
		f.busy[j.sequence]++
		return j
	}
	return nil
}

// cancel ends a job that runs or waits.
func (f *flight) cancel(id string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	j := f.byID[id]
	if j == nil {
		return false
	}
	delete(f.byID, id)
	j.gone = true
	j.ctx.end(context.Canceled)
	if i := slices.Index(f.waiting, j); i >= 0 && j.batch == nil {
		f.waiting = slices.Delete(f.waiting, i, i+1)
		f.bytes -= j.bytes
		f.unloadLocked(j)
		f.changed.Broadcast()
	}
	return true
}

// cancelAll ends what runs and forgets what waits.
func (f *flight) cancelAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for j := range f.jobs {
		j.ctx.end(context.Canceled)
	}
	for _, j := range f.waiting {
		f.unloadLocked(j)
	}
	f.waiting, f.bytes = nil, 0
	f.changed.Broadcast()
}

// idle waits until nothing runs or waits.
func (f *flight) idle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.running > 0 || len(f.waiting) > 0 {
		f.changed.Wait()
	}
}

// idleWithin waits for idle, but no longer than d.
func (f *flight) idleWithin(d time.Duration) bool {
	late := false
	timer := time.AfterFunc(d, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		late = true
		f.changed.Broadcast()
	})
	defer timer.Stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	for (f.running > 0 || len(f.waiting) > 0) && !late {
		f.changed.Wait()
	}
	return !late
}
