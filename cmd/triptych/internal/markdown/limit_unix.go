//go:build unix

package markdown

import "syscall"

// limitProcess has the kernel end this process when it takes more time or memory than a
// worker may, and run the calling thread when the processor has little else to do.
func limitProcess() error {
	for resource, most := range map[int]uint64{syscall.RLIMIT_CPU: maxCPU, syscall.RLIMIT_DATA: maxMemory} {
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return syscall.Setpriority(syscall.PRIO_PROCESS, 0, niceness)
}

// niceness lets the other work of the machine go before that of a worker.
const niceness = 10
