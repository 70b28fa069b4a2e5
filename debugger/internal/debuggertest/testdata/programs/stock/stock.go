// stock is launched by tests of editors, as inventory.c is. It panics when
// it is told to.
package main

import (
	"fmt"
	"os"
)

type item struct {
	ID    int
	Name  string
	Price float64
}

//go:noinline
func weigh(it *item, factor int) int {
	weight := it.ID * factor //break:weigh
	return weight            //break:weighed
}

func main() {
	items := []item{{3, "nail", 1.25}, {7, "screw", 2.5}}
	stock := map[string]int{"nail": 40, "screw": 2}
	total := 0
	for i := range items {
		total += weigh(&items[i], stock[items[i].Name]) //break:call
	}
	fmt.Println("total", total) //break:print
	if len(os.Args) > 1 {
		panic(os.Args[1]) //break:panic
	}
}
