package session

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// SignalNumber returns the number of a signal by its name, 0 if there is none.
func SignalNumber(name string) syscall.Signal { return unix.SignalNum(name) }

// signalName returns the name of a signal, such as SIGSEGV.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", int(sig))
}
