//go:build !linux

package session

import (
	"fmt"
	"syscall"
)

// signalName returns the number of a signal: nothing is traced on other
// systems.
func signalName(sig syscall.Signal) string { return fmt.Sprintf("signal %d", int(sig)) }
