package app

import (
	"os"
	"os/signal"
	"syscall"
)

// CatchHangups receives SIGHUP from now on, so that one sent to a server that is still
// starting does not end it. The signal is received, not ignored: a program that the
// debugger launches would inherit an ignored signal.
func CatchHangups() chan os.Signal {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups
}

// endAtHangup lets SIGHUP end the process again, also one that was received before.
func (a *App) endAtHangup() {
	if a.Hangups == nil {
		return
	}
	signal.Stop(a.Hangups)
	select {
	case <-a.Hangups:
	default:
		return
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(syscall.SIGHUP) // systems without the signal have sent none
	}
}
