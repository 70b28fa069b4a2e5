//go:build !linux || !amd64

package guard

// Main returns 1: there is nothing to guard on this system.
func Main() int { return 1 }
