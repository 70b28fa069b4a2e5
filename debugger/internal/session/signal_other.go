//go:build !linux

package session

import (
	"fmt"
	"syscall"
)

// SignalNumber returns 0: nothing is traced on other systems.
func SignalNumber(string) syscall.Signal { return 0 }

// signalName returns the number of a signal: nothing is traced on other
// systems.
func signalName(sig syscall.Signal) string { return fmt.Sprintf("signal %d", int(sig)) }
