//go:build linux

package load

import (
	"bytes"
	"errors"
	"runtime"
	"sync"
	"time"
)

// A flight is one run on a pipe.
//
//	fly
//	├─ load    the requests that are owed, ids and times written in
//	├─ write
//	├─ fill    what has come
//	└─ land    every answer owes a new request
//
// Where all that is in flight fits into the pipes, one thread does it all, for
// no write ever waits. Else one writes and one reads, with a lock between.
type flight struct {
	*pipe

	mu     sync.Mutex // of all below, where there are two
	moved  sync.Cond  // there is something to write again, or never
	over   bool
	sample Sample
	began  time.Time
	last   time.Duration // no request is made after it
	flying int           // requests without an answer
	owed   int           // requests to be made
	train  []byte        // requests in a row, as they are written
	cars   []car         // where each of them is
	at     int           // the car that is next
	slots  []slot        // by the last bits of the id
	seen   int           // bytes without the end of a line, from lo
}

// A car is one request in the train.
type car struct {
	end, id int // its end, and where its id begins
	length  int // of its answer
}

// A slot is a request without an answer.
type slot struct {
	id, length int
	sent       time.Duration
}

const (
	slots     = 1 << 13 // more than any window
	trainSize = 1 << 20 // bytes that are written at once
)

func newFlight(p *pipe, mix *Mix, window int, d time.Duration) *flight {
	f := &flight{pipe: p, last: d, owed: min(window, slots/2), slots: make([]slot, slots)}
	for n := max(f.owed, len(mix.messages)); len(f.cars) < n && (len(f.train) < trainSize || len(f.cars) < len(mix.messages)); {
		m := &mix.messages[len(f.cars)%len(mix.messages)]
		id := len(f.train) + m.id
		f.train = append(append(f.train, m.line...), '\n')
		f.cars = append(f.cars, car{end: len(f.train), id: id, length: m.length})
	}
	f.moved.L = &f.mu
	f.began = time.Now()
	return f
}

// fits says whether no write can wait for a read of the same thread.
func (f *flight) fits() bool {
	longest := 0
	for i, c := range f.cars {
		longest = max(longest, c.length, c.end-f.begin(i))
	}
	return longest*f.owed <= pipeSize*3/4
}

// pipeSize is what the kernel gives a pipe.
const pipeSize = 64 << 10

func (f *flight) fly() error {
	for f.owed > 0 || f.flying > 0 {
		for f.owed > 0 {
			if err := f.write(f.load()); err != nil {
				return err
			}
		}
		if err := f.fill(); err != nil {
			return err
		}
		f.land()
	}
	return nil
}

func (f *flight) flyTogether() error {
	written := make(chan error, 1)
	go func() { // ends when the flight is over, or the child
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		written <- f.writeAll()
	}()
	err := f.readAll()
	f.mu.Lock()
	f.over = true
	f.moved.Signal()
	f.mu.Unlock()
	if err != nil {
		_ = f.Process.Kill() // else the writer may wait for ever
	}
	return errors.Join(err, <-written)
}

func (f *flight) writeAll() error {
	for {
		f.mu.Lock()
		for f.owed == 0 && !f.over {
			f.moved.Wait()
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

func (f *flight) readAll() error {
	for {
		if err := f.fill(); err != nil {
			return err
		}
		f.mu.Lock()
		f.land()
		landed := f.owed == 0 && f.flying == 0
		f.moved.Signal()
		f.mu.Unlock()
		if landed {
			return nil
		}
	}
}

// load makes as many requests as are owed, at most to the end of the train.
func (f *flight) load() []byte {
	n, now := min(f.owed, len(f.cars)-f.at), time.Since(f.began)
	requests := f.train[f.begin(f.at):f.cars[f.at+n-1].end]
	for _, c := range f.cars[f.at : f.at+n] {
		putID(f.train[c.id:], f.next)
		f.slots[f.next%slots] = slot{f.next, c.length, now}
		f.next = nextID(f.next)
	}
	f.at = (f.at + n) % len(f.cars)
	f.owed -= n
	f.flying += n
	return requests
}

// begin is where a car begins.
func (f *flight) begin(car int) int {
	if car == 0 {
		return 0
	}
	return f.cars[car-1].end
}

// land counts the answers that have come whole.
func (f *flight) land() {
	now, landed := time.Since(f.began), 0
	for {
		n := bytes.IndexByte(f.buf[f.lo+f.seen:f.hi], '\n')
		if n < 0 {
			f.seen = f.hi - f.lo
			break
		}
		line := f.buf[f.lo : f.lo+f.seen+n]
		f.lo, f.seen = f.lo+len(line)+1, 0
		if f.answered(line, now) {
			landed++
		}
	}
	f.flying -= landed
	if now < f.last {
		f.owed += landed
	}
}

// answered counts one line, if it is an answer.
func (f *flight) answered(line []byte, now time.Duration) bool {
	id, ok := answerID(line)
	if !ok {
		return false // a notification
	}
	s := &f.slots[id%slots]
	if s.id != id {
		f.sample.Bad++ // to nothing that was asked
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
