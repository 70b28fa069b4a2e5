//go:build !race

package mcptest

// Race reports whether the race detector is on.
const Race = false
