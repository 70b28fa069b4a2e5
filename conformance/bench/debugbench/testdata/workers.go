// Command workers has two busy goroutines, twelve frames deep, and twenty that
// wait.
package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

type shape interface{ area() float64 }

type rectangle struct{ width, height float64 }

func (r rectangle) area() float64 { return r.width * r.height }

var total atomic.Uint64

//go:noinline
func tick(x uint64) { total.Add(x) }

//go:noinline
func leaf(n int, s shape) uint64 {
	count := 42
	names := []string{"a", "b"}
	label := "worker"
	x := uint64(n)*0x9e3779b97f4a7c15 + 1
	for {
		for range 1024 {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		tick(x&1 + uint64(count) + uint64(len(names)) + uint64(len(label)))
		if s.area() < 0 {
			return x
		}
	}
}

//go:noinline
func deep(left, n int, s shape) uint64 {
	if left == 0 {
		return leaf(n, s)
	}
	return deep(left-1, n, s) + uint64(left)
}

func main() {
	fmt.Println("ready")
	for i := range 2 {
		go deep(11, i, rectangle{float64(i), 2})
	}
	never := make(chan int)
	for range 20 {
		go func() { <-never }()
	}
	for {
		time.Sleep(20 * time.Millisecond)
	}
}
