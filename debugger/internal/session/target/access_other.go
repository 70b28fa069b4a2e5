//go:build !linux || !amd64

package target

// isProcessAccess is false: without tracing no memory is read.
func isProcessAccess(error) bool { return false }
