//go:build !race

package sample

// Race reports whether the race detector is on.
const Race = false
