// Command gostacks gets into the parts of Go's runtime that change stacks: the
// tests stop in a garbage collection asked for, and in a signal's handler.
package main

import (
	"os"
	"runtime"
	"syscall"
)

//go:noinline
func collect(depth int) {
	if depth > 0 {
		collect(depth - 1)
		return
	}
	runtime.GC()
}

//go:noinline
func fault(p *int) int { return *p }

// sum has no prologue: its loop begins a line after its first instruction.
//
//go:noinline
func sum(n int) (s int) {
	for i := range n {
		s += i ^ n
	}
	return s
}

func main() {
	runtime.LockOSThread()
	collect(sum(3) / 2)
	if len(os.Args) > 5 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	}
	defer func() { _ = recover() }()
	fault(nil)
}
