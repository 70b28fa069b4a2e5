package main

import (
	"fmt"
	"sync"
	"time"
)

// patience limits the time for a notification.
const patience = time.Minute

// changes buffers notifications until they are waited for.
type changes struct {
	mu    sync.Mutex
	heard map[string]bool
	woken chan struct{} // closed and replaced with each change
}

func newChanges() *changes {
	return &changes{heard: map[string]bool{}, woken: make(chan struct{})}
}

func (c *changes) note(change string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard[change] = true
	close(c.woken)
	c.woken = make(chan struct{})
}

func (c *changes) forget(change string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.heard, change)
}

// take reports whether the change was announced, and removes it; if it was not, the
// channel is closed with the next change.
func (c *changes) take(change string) (bool, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	heard := c.heard[change]
	delete(c.heard, change)
	return heard, c.woken
}

func (c *changes) wait(change string) error {
	late := time.After(patience)
	for {
		heard, woken := c.take(change)
		if heard {
			return nil
		}
		select {
		case <-woken:
		case <-late:
			return fmt.Errorf("nothing was heard of %s", change)
		}
	}
}
