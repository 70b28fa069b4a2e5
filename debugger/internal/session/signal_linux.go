package session

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// signalName returns the name of a signal, such as SIGSEGV.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
