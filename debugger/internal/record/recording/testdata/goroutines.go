// Goroutines computes in 50 goroutines, which the runtime preempts by signals.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		all int
	)
	for n := range 50 {
		wg.Go(func() {
			sum := 0
			for k := range 400_000 {
				sum = (sum*31 + k*n) % 1_000_003
			}
			mu.Lock()
			all += sum
			mu.Unlock()
		})
	}
	wg.Wait()
	fmt.Println(all)
}
