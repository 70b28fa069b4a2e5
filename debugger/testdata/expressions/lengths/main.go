// Command lengths has everything that len and cap count. Each line of its output
// is an expression and its value; the variables are in sight from where marker is
// called.
package main

import (
	"fmt"
	"os"
)

type names []string

type bag struct {
	items   map[string][]int
	queue   chan int
	label   string
	corners [4]int
}

//go:noinline
func marker(p any) { sink = p }

var sink any

//go:noinline
func look(b *bag, who names, text string) int {
	numbers := make([]int, 3, 10)
	part := numbers[1:2]
	var none []int
	var noMap map[int]int
	var noChan chan bool
	full := make(chan string, 5)
	full <- "a"
	full <- "b"
	unbuffered := make(chan int)
	grid := [2][3]int{}
	at := &grid
	large := map[int]bool{}
	for i := range 300 {
		large[i] = true
	}
	for expression, value := range map[string]any{
		"len(numbers)": len(numbers), "cap(numbers)": cap(numbers), "len(part)": len(part), "cap(part)": cap(part),
		"len(none)": len(none), "cap(none)": cap(none), "len(noMap)": len(noMap), "len(noChan)": len(noChan),
		"cap(noChan)": cap(noChan), "len(full)": len(full), "cap(full)": cap(full), "len(unbuffered)": len(unbuffered),
		"cap(unbuffered)": cap(unbuffered), "len(grid)": len(grid), "len(grid[1])": len(grid[1]), "cap(grid)": cap(grid),
		"len(at)": len(at), "cap(at)": cap(at), "len(*at)": len(*at), "len(large)": len(large), "len(text)": len(text),
		"len(who)": len(who), "len(who[1])": len(who[1]), "cap(who)": cap(who), "len(b.items)": len(b.items),
		`len(b.items["x"])`: len(b.items["x"]), `cap(b.items["x"])`: cap(b.items["x"]), "len(b.queue)": len(b.queue),
		"len(b.label)": len(b.label), "len(b.corners)": len(b.corners), `len("naïve")`: len("naïve"),
		"len(numbers) - cap(numbers) < 0": len(numbers)-cap(numbers) < 0,
	} {
		fmt.Printf("%s\t%v\n", expression, value)
	}
	marker(b)
	return part[0] + len(none) + len(noMap) + at[0][0] + len(unbuffered) + len(noChan) + len(full)
}

func main() {
	b := &bag{items: map[string][]int{"x": make([]int, 2, 7)}, queue: make(chan int, 1), label: "größer"}
	os.Exit(look(b, names{"ann", "robert"}, "a text") & 1)
}
