// Goblocks allocates on Go's heap and keeps the addresses.
package main

import "fmt"

type node struct {
	value int
	next  *node
	name  string
	bytes [100]byte
}

var (
	kept    *node
	numbers []int64
)

//go:noinline
func makeNode(v int) *node { return &node{value: v} }

//go:noinline
func makeNumbers(n int) []int64 { return make([]int64, n) }

func main() {
	kept = makeNode(5)
	numbers = makeNumbers(500)
	fmt.Println(kept.value, len(numbers))
	panic("end")
}
