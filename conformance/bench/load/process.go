//go:build linux

package load

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPU is the processor time of a process and all its threads, in user and
// system, those that have ended included.
func CPU(pid int) (time.Duration, error) {
	var ts unix.Timespec
	// The clock of a process is its number, inverted, above three bits that ask
	// for scheduled time: MAKE_PROCESS_CPUCLOCK in the kernel.
	clock := int32(^uint32(pid)<<3 | 2)
	if err := unix.ClockGettime(clock, &ts); err != nil {
		return 0, fmt.Errorf("the CPU time of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// ownCPU is the same of the driver.
func ownCPU() time.Duration {
	used, err := CPU(os.Getpid())
	if err != nil {
		return 0 // one that has none is no worse measured
	}
	return used
}

// A Usage is a snapshot of a process's resources.
type Usage struct {
	RSS, Peak    int64 // resident memory in bytes, now and at most
	Own          int64 // of RSS what is no file's
	Threads, FDs int
}

// Look sees what a process has.
func Look(pid int) (Usage, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return Usage{}, err
	}
	files, err := os.ReadDir(dir + "/fd")
	if err != nil {
		return Usage{}, err
	}
	u := Usage{FDs: len(files)}
	for line := range bytes.Lines(status) {
		name, value, _ := strings.Cut(string(line), ":")
		n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64) // text has none
		switch name {
		case "VmRSS":
			u.RSS = n << 10
		case "VmHWM":
			u.Peak = n << 10
		case "RssAnon":
			u.Own = n << 10
		case "Threads":
			u.Threads = int(n)
		}
	}
	return u, nil
}
