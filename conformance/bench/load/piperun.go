//go:build linux

package load

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"time"
)

// A pipeRun is one run over a pipe.
//
//	run
//	├─ load          encode the requests that are due: ids and times
//	├─ write
//	├─ fill          read what has arrived
//	└─ countAnswers  each answer makes one more request due
//
// If all requests in flight fit into the pipes' buffers, writes never block and one
// thread does everything. Otherwise one thread writes and one reads, under a lock.
type pipeRun struct {
	*pipe

	mu       sync.Mutex // guards the fields below if there are two threads
	changed  sync.Cond  // due or over has changed
	over     bool
	sample   Sample
	began    time.Time
	last     time.Duration // end of the run: no request is made after it
	inFlight int           // requests without an answer
	due      int           // requests to send
	batch    []byte        // encoded requests, one after the other
	entries  []entry       // the requests in batch
	at       int           // the next entry
	slots    []slot        // indexed by the low bits of the id
	seen     int           // bytes from lo that hold no line end
}

// An entry is one request in the batch.
type entry struct {
	end, id int // offsets of its end and of its id
	length  int // length of its answer
}

// A slot is an unanswered request.
type slot struct {
	id, length int
	sent       time.Duration
}

const (
	slots     = 1 << 13 // more than any window
	batchSize = 1 << 20 // limit of one write in bytes
)

func newPipeRun(p *pipe, mix *Mix, window int, d time.Duration) *pipeRun {
	f := &pipeRun{pipe: p, last: d, due: min(window, slots/2), slots: make([]slot, slots)}
	for n := max(f.due, len(mix.messages)); len(f.entries) < n && (len(f.batch) < batchSize || len(f.entries) < len(mix.messages)); {
		m := &mix.messages[len(f.entries)%len(mix.messages)]
		id := len(f.batch) + m.id
		f.batch = append(append(f.batch, m.line...), '\n')
		f.entries = append(f.entries, entry{end: len(f.batch), id: id, length: m.length})
	}
	f.changed.L = &f.mu
	f.began = time.Now()
	return f
}

// fitsPipe reports whether no write can block for lack of a read.
func (f *pipeRun) fitsPipe() bool {
	longest := 0
	for i, c := range f.entries {
		longest = max(longest, c.length, c.end-f.begin(i))
	}
	return longest*f.due <= pipeSize*3/4
}

// pipeSize is the kernel's default size of a pipe's buffer.
const pipeSize = 64 << 10

func (f *pipeRun) run() error {
	for f.due > 0 || f.inFlight > 0 {
		for f.due > 0 {
			if err := f.write(f.load()); err != nil {
				return err
			}
		}
		if err := f.fill(); err != nil {
			return err
		}
		f.countAnswers()
	}
	return nil
}

func (f *pipeRun) runConcurrently() error {
	written := make(chan error, 1)
	go func() { // ends with the run or the child
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		written <- f.writeAll()
	}()
	err := f.readAll()
	f.mu.Lock()
	f.over = true
	f.changed.Signal()
	f.mu.Unlock()
	if err != nil {
		_ = f.Process.Kill() // otherwise the writer could block forever
	}
	return errors.Join(err, <-written)
}

func (f *pipeRun) writeAll() error {
	for {
		f.mu.Lock()
		for f.due == 0 && !f.over {
			f.changed.Wait()
		}
		if f.over {
			f.mu.Unlock()
			return nil
		}
		requests := f.load()
		f.mu.Unlock()
		if err := f.write(requests); err != nil {
			return err
		}
	}
}

func (f *pipeRun) readAll() error {
	for {
		if err := f.fill(); err != nil {
			return err
		}
		f.mu.Lock()
		f.countAnswers()
		done := f.due == 0 && f.inFlight == 0
		f.changed.Signal()
		f.mu.Unlock()
		if done {
			return nil
		}
	}
}

// load encodes the requests that are due, at most to the end of the batch.
func (f *pipeRun) load() []byte {
	n, now := min(f.due, len(f.entries)-f.at), time.Since(f.began)
	requests := f.batch[f.begin(f.at):f.entries[f.at+n-1].end]
	for _, c := range f.entries[f.at : f.at+n] {
		putID(f.batch[c.id:], f.next)
		f.slots[f.next%slots] = slot{f.next, c.length, now}
		f.next = nextID(f.next)
	}
	f.at = (f.at + n) % len(f.entries)
	f.due -= n
	f.inFlight += n
	return requests
}

// begin returns the offset of entry i in the batch.
func (f *pipeRun) begin(i int) int {
	if i == 0 {
		return 0
	}
	return f.entries[i-1].end
}

// countAnswers counts the complete answers in the buffer.
func (f *pipeRun) countAnswers() {
	now, done := time.Since(f.began), 0
	for {
		n := bytes.IndexByte(f.buf[f.lo+f.seen:f.hi], '\n')
		if n < 0 {
			f.seen = f.hi - f.lo
			break
		}
		line := f.buf[f.lo : f.lo+f.seen+n]
		f.lo, f.seen = f.lo+len(line)+1, 0
		if f.answered(line, now) {
			done++
		}
	}
	f.inFlight -= done
	if now < f.last {
		f.due += done
	}
}

// answered counts a line and reports whether it is an answer.
func (f *pipeRun) answered(line []byte, now time.Duration) bool {
	id, ok := answerID(line)
	if !ok {
		return false // a notification
	}
	s := &f.slots[id%slots]
	if s.id != id {
		f.sample.Bad++ // no pending request has this id
		return false
	}
	if len(line) != s.length {
		f.sample.Bad++
	}
	s.id = 0
	f.sample.N++
	f.sample.Took = now
	f.sample.Latency.Add(now - s.sent)
	return true
}
