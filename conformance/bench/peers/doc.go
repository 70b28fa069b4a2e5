// Command peers measures the program beside the pipe's own limit and beside
// servers of other libraries, and how its cost grows. It writes the page
// docs/performance.md and the plots beside it.
//
//	go run ./peers [-quick] [-only REGEXP] [-root ../..]
//	go run . -soak FILE                # draws what a soak has written
//
// It is a module of its own, so that what the peers need is not needed by us.
// The servers are in gosdk, mcpgo, ceiling and node; the driver is package load.
// Everything runs in turn, round after round, and what is compared is the median
// of the ratios of each round: a machine that is slow for a while is slow for
// all. A row is an entry of a table (stdio.go, https.go, start.go, stores.go),
// and so is a plot (growth*.go).
package main
