package isolate

import "syscall"

// limitMemory has the kernel refuse memory beyond so many bytes. The runtime ends
// the process then.
func limitMemory(bytes int64) error {
	if bytes <= 0 {
		return nil
	}
	limit := syscall.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
