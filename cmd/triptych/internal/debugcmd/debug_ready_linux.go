package debugcmd

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// awaitInput waits until a terminal has something to read. Linux applies the mode of the terminal at
// the beginning of a read: one that begins while a line is edited would pass over a Ctrl-D that is
// for the program. It reports whether there is still a terminal.
func awaitInput(in *os.File) bool {
	polled := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(polled, -1); !errors.Is(err, unix.EINTR) {
			return err == nil && polled[0].Revents&unix.POLLIN != 0 && polled[0].Revents&unix.POLLHUP == 0
		}
	}
}
