package main

import (
	"bytes"
	"os"
	"sync"
	"syscall"
)

// A trail keeps a line of each request on disk before it is answered, and
// nothing else: no chain, no seal. Those who wait share a write and a sync.
type trail struct {
	file *os.File
	at   int64
	turn chan struct{} // held while writing

	mu   sync.Mutex
	next *batch
}

// A batch are the lines of one write.
type batch struct {
	lines []byte
	done  chan struct{}
	err   error
}

// room is the size of the file. It is written over from the beginning when it
// is full: bytes that make a file longer take ten times as long to sync.
const room = 64 << 20

func openTrail(path string) (*trail, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(bytes.Repeat([]byte{'\n'}, room)); err != nil {
		return nil, err
	}
	return &trail{file: f, turn: make(chan struct{}, 1), next: newBatch()}, f.Sync()
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

// keep returns when the line is on disk.
func (t *trail) keep(line []byte) error {
	t.mu.Lock()
	b := t.next
	b.lines = append(append(b.lines, line...), '\n')
	t.mu.Unlock()
	select {
	case <-b.done:
		return b.err
	case t.turn <- struct{}{}:
	}
	defer func() { <-t.turn }()
	select {
	case <-b.done:
		return b.err
	default:
		return t.write(b)
	}
}

// write writes the batch that takes lines, which is b: only who has the turn
// lets another one begin.
func (t *trail) write(b *batch) error {
	t.mu.Lock()
	t.next = newBatch()
	t.mu.Unlock()
	defer close(b.done)
	if t.at+int64(len(b.lines)) > room {
		t.at = 0
	}
	n, err := t.file.WriteAt(b.lines, t.at)
	t.at += int64(n)
	if err == nil {
		err = syscall.Fdatasync(int(t.file.Fd()))
	}
	b.err = err
	return err
}
