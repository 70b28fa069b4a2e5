// Command govalues has variables of every sort that Go has; the test stops in
// marker.
package main

import (
	"fmt"
	"os"
)

type point struct{ X, Y int }

type node struct {
	Next  *node
	Value int32
}

type celsius float64

type shaper interface{ area() int }

func (p point) area() int { return p.X * p.Y }

type names map[string]int

var total = 11

//go:noinline
func marker(p any) { sink = p }

var sink any

//go:noinline
func leaf(name string, depth int, where *point) int {
	count := 42
	var tiny uint8 = 200
	var wide int64 = -5
	temperature := celsius(36.6)
	yes := true
	letter := 'ß'
	z := complex(1.5, 2.5)
	numbers := []int{1, 2, 3}
	words := []string{"one", "two"}
	var empty []int
	array := [3]int16{10, 20, 30}
	small := map[string]int{"a": 1}
	large := map[int]int{}
	for i := range 100 {
		large[i] = i * i
	}
	var nilMap names
	var shape shaper = point{3, 4}
	var boxed any = 12
	var nothing error
	err := fmt.Errorf("bad")
	channel := make(chan int, 4)
	channel <- 1
	list := &node{&node{nil, 2}, 1}
	fn := marker
	marker(&count) // stop: leaf
	fmt.Fprintln(os.Stderr, count, tiny, wide, temperature, yes, letter, z, numbers, words, empty, array, small,
		len(large), nilMap, shape, boxed, nothing, err, len(channel), list.Value, fn != nil, name, depth, where.X, total)
	return count
}

func main() { os.Exit(leaf("label", 2, &point{1, 2}) & 1) }
