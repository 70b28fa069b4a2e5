package stdio

import "golang.org/x/sys/unix"

// setPipeSize asks for a pipe of that many bytes (fcntl(2), F_SETPIPE_SZ). What
// is no pipe, and a user who has too much in pipes already, stay as they are.
func setPipeSize(fd uintptr, size int) {
	if has, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && has < size {
		_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size) // as it was, it works as well
	}
}
