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
	conn      *Conn
	req       Request
	ctx       *requestContext
	sequence  string
	bytes     int    // what it holds of the queue's bytes
	out       []byte // its answer
	cancelled bool   // cancelled in time: not answered; guarded by scheduler.mu
	batch     *batch // the batch that gathers the answer, nil outside one
	before    *job   // the one with the same id that is answered first; guarded by scheduler.mu
	answered  bool   // its answer is there, if it may not be sent yet; guarded by scheduler.mu
	retired   bool   // its answer was sent or is not wanted; guarded by scheduler.mu
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

// run calls the handler and leaves the response in j.out. A batch whose answers are too
// long together gets errors from there on, and its remaining requests are not handled.
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
		j.out, _ = j.conn.out.putOwned(j.out, flush) // a dead stream is found by the reader
	}
}

// A scheduler holds the jobs that run beside the reading goroutine and those that wait
// for their turn, and starts them in order. A job is registered from the moment that it
// waits or leaves the reader until its answer was sent; one that the reader runs to its
// end is never in here.
type scheduler struct {
	conn  *Conn
	quiet atomic.Bool // whether running is 0; changed with mu held

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

// init makes the scheduler of a connection. It is called once, before the first job.
func (s *scheduler) init(c *Conn) {
	s.conn, s.changed.L = c, &s.mu
	s.quiet.Store(true)
	s.jobs, s.byID = map[*job]struct{}{}, map[string]*job{}
	s.load, s.busy = map[string]int{}, map[string]int{}
}

// An admission is the decision about a request that has arrived.
type admission int

const (
	runHere admission = iota
	queued
	duplicate
)

// admit decides whether the job may run on the reading goroutine. One that has
// to wait takes a copy of its message along; while the queue is full, the
// reader waits here, and with it the other side.
func (s *scheduler) admit(j *job) admission {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.followLocked(j) {
		return duplicate
	}
	if j.before == nil && s.freeLocked(j) {
		return runHere
	}
	s.queueLocked(j)
	return queued
}

// submit queues a job and makes sure that a goroutine runs it. It reports false
// when a job with this id is in flight already.
func (s *scheduler) submit(j *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !j.req.IsNotification() && !s.followLocked(j) {
		return false
	}
	s.queueLocked(j)
	s.startLocked()
	return true
}

// followLocked puts a job behind the one in flight with the same id. It reports false
// where the other side may not use an id again. mu is held.
func (s *scheduler) followLocked(j *job) bool {
	j.before = s.byID[j.req.ID.String()]
	return j.before == nil || j.before.answered || s.conn.reuser != nil && s.conn.reuser.ReusesID(&j.req)
}

// freeLocked reports whether a job can start at once: there is room for one more, and
// no other job of its sequence is registered. mu is held.
func (s *scheduler) freeLocked(j *job) bool {
	return s.running < s.conn.cfg.MaxRunning && (j.sequence == "" || s.load[j.sequence] == 0)
}

// queueLocked registers a job that has to wait, and starts waiting ones if it can. It
// blocks while the queue is full, and with it the reading of further messages: the
// other side has to wait, too. mu is held, and released meanwhile.
func (s *scheduler) queueLocked(j *job) {
	j.own()
	for !s.closed && s.running > 0 && (len(s.waiting) >= s.conn.cfg.MaxQueued || s.bytes+j.bytes > s.conn.cfg.MaxQueuedBytes) {
		s.changed.Wait()
	}
	if s.closed {
		return
	}
	free := j.before == nil && s.freeLocked(j) // nothing ran, or it ended while we waited
	s.registerLocked(j)
	s.waiting = append(s.waiting, j)
	s.bytes += j.bytes
	if free || s.running == 0 {
		s.startLocked()
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

// registerLocked makes a job known, so that it can be cancelled by its id and counts in
// its sequence. mu is held.
func (s *scheduler) registerLocked(j *job) {
	if !j.req.IsNotification() {
		s.byID[j.req.ID.String()] = j
	}
	s.jobs[j] = struct{}{}
	s.load[j.sequence]++
	if s.closed {
		j.ctx.end(context.Canceled)
	}
}

// adopt makes the job of an odd turn one that runs beside the reader. It reports whether
// the turn was still that one; the monitor then starts a new reader. The lock keeps that
// reader from admitting a request before the job is registered.
func (s *scheduler) adopt(turn uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.conn
	if !c.turn.CompareAndSwap(turn, turn+1) {
		return false
	}
	j := c.inTurn
	if j == nil {
		return true // a write, which is no job
	}
	if c.sequencer != nil && !j.req.IsNotification() {
		j.sequence = c.sequencer.Sequence(&j.req)
	}
	s.registerLocked(j)
	s.running++
	s.quiet.Store(false)
	s.busy[j.sequence]++
	return true
}

// startLocked lets a goroutine of its own work off the queue, for batches and for a
// queue that no running job would come back to.
func (s *scheduler) startLocked() {
	next := s.nextLocked()
	if next == nil {
		return
	}
	s.quiet.Store(false)
	go func() {
		next.run()
		s.work(next)
	}()
}

// work finishes a job and goes on with what waits and may run now. It is the end of every
// goroutine that has run a job beside the reader, and returns when nothing may start.
func (s *scheduler) work(j *job) {
	for j != nil {
		done := s.retire(j)
		if !done {
			j.send(true)
		}
		j.ctx.end(context.Canceled)
		if j = s.next(j); j != nil {
			j.run()
		}
	}
}

// retire takes the job off the list of what can be cancelled, and reports
// whether it was.
func (s *scheduler) retire(j *job) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	j.answered = true
	if j.cancelled && j.batch != nil {
		j.out = nil
		return false // the batch still counts it
	}
	return j.cancelled
}

// next frees what the job held and picks the first that waits and may run.
func (s *scheduler) next(j *job) *job {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.unloadLocked(j)
	if s.busy[j.sequence]--; s.busy[j.sequence] == 0 {
		delete(s.busy, j.sequence)
	}
	next := s.nextLocked()
	s.quiet.Store(s.running == 0)
	s.changed.Broadcast()
	return next
}

// unloadLocked is the end of what registerLocked began. mu is held.
func (s *scheduler) unloadLocked(j *job) {
	delete(s.jobs, j)
	j.retired = true
	if !j.req.IsNotification() && s.byID[j.req.ID.String()] == j {
		delete(s.byID, j.req.ID.String())
	}
	if s.load[j.sequence]--; s.load[j.sequence] == 0 {
		delete(s.load, j.sequence)
	}
}

// nextLocked takes the first waiting job whose sequence and id have nothing before it.
func (s *scheduler) nextLocked() *job {
	if s.running >= s.conn.cfg.MaxRunning {
		return nil
	}
	for i, j := range s.waiting {
		if j.before != nil && !j.before.retired || j.sequence != "" && s.busy[j.sequence] > 0 {
			continue
		}
		j.before = nil
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.bytes -= j.bytes
		s.running++
		s.busy[j.sequence]++
		return j
	}
	return nil
}

// cancel ends a job that runs or waits, and reports whether there was one with that id; of
// several with one id it is the last.
// One of a batch stays in the queue, since the batch counts its answers.
func (s *scheduler) cancel(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.byID[id]
	if j == nil || j.answered {
		return false
	}
	delete(s.byID, id)
	j.cancelled = true
	j.ctx.end(context.Canceled)
	if i := slices.Index(s.waiting, j); i >= 0 && j.batch == nil {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.bytes -= j.bytes
		s.unloadLocked(j)
		s.changed.Broadcast()
	}
	return true
}

// cancelAll ends what runs and forgets what waits. Jobs that are registered later are
// cancelled at once.
func (s *scheduler) cancelAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for j := range s.jobs {
		j.ctx.end(context.Canceled)
	}
	for _, j := range s.waiting {
		s.unloadLocked(j)
	}
	s.waiting, s.bytes = nil, 0
	s.changed.Broadcast()
}

// idle waits until nothing runs or waits.
func (s *scheduler) idle() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.running > 0 || len(s.waiting) > 0 {
		s.changed.Wait()
	}
}

// idleWithin waits for idle, but no longer than d, and reports whether nothing runs or
// waits.
func (s *scheduler) idleWithin(d time.Duration) bool {
	late := false
	timer := time.AfterFunc(d, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		late = true
		s.changed.Broadcast()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for (s.running > 0 || len(s.waiting) > 0) && !late {
		s.changed.Wait()
	}
	return !late
}
