// A program that a nil pointer ends.
package main

import "os"

type node struct {
	value int
	next  *node
}

//go:noinline
func sum(n *node, depth int) int {
	twice := depth * 2
	if n == nil {
		return twice
	}
	return n.value + n.next.next.value + sum(n.next, depth+1)
}

func main() {
	done := make(chan int)
	go func() { <-done }()
	list := &node{value: len(os.Args), next: &node{value: 2}}
	println(sum(list, 3))
}
