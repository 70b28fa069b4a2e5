// A value that is read and written again without a lock.
package main

import (
	"os"
	"sync"
)

var total int

//go:noinline
func value() int { return total }

func main() {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				v := value()
				total = v + 1
			}
		})
	}
	wg.Wait()
	if total != 4*500 {
		os.Exit(1)
	}
}
