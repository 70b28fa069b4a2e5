//go:build !linux

package stdio

// setPipeSize does nothing: the size of a pipe is the system's.
func setPipeSize(uintptr, int) {}
