//go:build race

package debuggertest

// Race reports whether the race detector is on. Everything takes about ten times as
// long then: tests without goroutines of their own, and those that repeat something
// until chance has shown all of it, take a sample, and the whole without the detector.
const Race = true
