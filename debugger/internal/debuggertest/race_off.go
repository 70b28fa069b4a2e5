//go:build !race

package debuggertest

// Race reports whether the race detector is on.
const Race = false
