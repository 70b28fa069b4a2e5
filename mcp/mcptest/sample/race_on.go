//go:build race

package sample

// Race reports whether the race detector is on. Everything takes about ten times as
// long then: tests of long computations without goroutines take a sample, and the
// whole without the detector.
const Race = true
