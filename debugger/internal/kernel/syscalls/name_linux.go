package syscalls

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// errorText returns the name of an error and its explanation, which begins with a
// capital letter in C.
func errorText(number int) string {
	e := syscall.Errno(number)
	name, text := unix.ErrnoName(e), e.Error()
	if name == "" {
		return fmt.Sprintf("error %d", number)
	}
	return fmt.Sprintf("%s (%s)", name, strings.ToUpper(text[:1])+text[1:])
}

// signalText returns the name of a signal.
func signalText(number int) string {
	if name := unix.SignalName(syscall.Signal(number)); name != "" {
		return name
	}
	return strconv.Itoa(number)
}
