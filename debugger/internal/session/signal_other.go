//go:build !linux

package session

import (
	"fmt"
	"syscall"
)

// signalName is the number of a signal: on other systems nothing is traced.
func signalName(sig syscall.Signal) string { return fmt.Sprintf("signal %d", int(sig)) }
