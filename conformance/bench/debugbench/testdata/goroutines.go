// Command goroutines has 50 goroutines, which compute parts of a sum and send them
// over channels.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func part(n int, in <-chan int, out chan<- uint64) {
	for turns := range in {
		x := uint64(n) + 1
		for range turns {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		out <- x
	}
}

func main() {
	rounds, _ := strconv.Atoi(os.Args[1]) // 0 is a number of rounds, too
	in, out := make(chan int), make(chan uint64)
	for n := range 50 {
		go part(n, in, out)
	}
	sum := uint64(0)
	for range rounds {
		go func() {
			for range 50 {
				in <- 2000
			}
		}()
		for range 50 {
			sum ^= <-out
		}
	}
	fmt.Println(sum != 0)
}
