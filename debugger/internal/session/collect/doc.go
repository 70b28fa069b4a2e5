// Package collect reads the values of expressions each time that a program is at
// one of some points.
//
//	points := []collect.Point{{Site: stepping.Site{Function: "store"}, Values: []string{"slot", "price"}}}
//	table, err := collect.Recorded(ctx, stepper, points, collect.Options{From: from, To: to, Limit: 100})
//
// [Recorded] finds the hits in recorded history, by program counters alone, and
// reads values only at the hits that it shows. [Collector] reads values while the
// process runs and does not stop it.
//
// # Concurrency
//
// Recorded uses the stepper, and moves and restores its position. It must be
// called by the goroutine that owns it. A Collector adds rows in the goroutine of
// the operation that runs the process; its other methods may be called concurrently.
package collect
