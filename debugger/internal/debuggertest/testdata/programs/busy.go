// Busy keeps several threads at work, with garbage to collect and goroutines
// to preempt.
//
// Commands: any; the answer is the amount of work done.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
)

var done atomic.Int64

type node struct {
	next *node
	data [64]byte
}

//go:noinline
func visit(n *node) int64 {
	return done.Add(int64(n.data[0]) + 1) //break:visit
}

func work() {
	var list *node
	for i := 0; ; i++ {
		list = &node{next: list}
		visit(list)
		if i%1000 == 0 {
			list = nil
		}
		for range 100 { //nolint:revive // a loop without a call, which needs preemption
		}
	}
}

func main() {
	for range runtime.NumCPU() + 1 {
		go work()
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println(done.Load())
	}
}
