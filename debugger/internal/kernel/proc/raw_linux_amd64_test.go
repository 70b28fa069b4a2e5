package proc_test

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// queueSignal is rt_sigqueueinfo(2).
func queueSignal(pid, sig int, info []byte) error {
	_, _, e := unix.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(pid), uintptr(sig), uintptr(unsafe.Pointer(&info[0])))
	if e != 0 {
		return e
	}
	return nil
}
