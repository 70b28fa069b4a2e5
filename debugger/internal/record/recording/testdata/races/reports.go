// A test waits for a condition that it has looked at outside of the lock. If all broadcasts come before
// it waits, it waits forever: https://github.com/milvus-io/milvus/pull/50645
package main

import (
	"runtime"
	"sync"
)

const releases = 20

type pool struct {
	mu      sync.Mutex
	changed *sync.Cond
	used    int
}

func (p *pool) release() {
	p.mu.Lock()
	p.used--
	p.mu.Unlock()
	p.changed.Broadcast()
}

func (p *pool) free() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used == 0
}

func (p *pool) wait() {
	p.mu.Lock()
	p.changed.Wait()
	p.mu.Unlock()
}

func main() {
	runtime.GOMAXPROCS(4)
	p := &pool{used: releases}
	p.changed = sync.NewCond(&p.mu)
	for range releases {
		go p.release()
	}
	for !p.free() {
		p.wait()
	}
}
