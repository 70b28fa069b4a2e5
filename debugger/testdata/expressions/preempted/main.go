// Go's runtime preempts goroutines that have run for ten milliseconds, as each stop of a
// debugger makes them seem to have, by a signal.
package main

import (
	"fmt"
	"os"
)

func main() {
	for i := range 100 {
		fmt.Fprintln(os.Stderr, i) // break here
	}
}
