// Constants of Go. Each line of the output is an expression and its value.
package main

import (
	"fmt"
	"os"
)

type level int8

const (
	low level = -3
	mid level = iota
	high
)

const (
	limit        = 70000
	big   uint64 = 1 << 63
)

//go:noinline
func marker() {}

//go:noinline
func show(l level, n int, b uint64) {
	fmt.Printf("l == low\t%v\nl == high\t%v\nn > limit\t%v\nmain.limit + 1\t%v\nb == big\t%v\nhigh\t%v\nn > 7 && l != high\t%v\n",
		l == low, l == high, n > limit, limit+1, b == big, high, n > 7 && l != high)
	marker()
	fmt.Fprintln(os.Stderr, l, n, b)
}

func main() { show(low, 80000, big) }
