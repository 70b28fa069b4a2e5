package aoccmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ownGroup makes a command the leader of a process group, all of which is killed when
// the command is.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// The times between two measurements of memory: short at first, so that programs that
// end soon are measured, too.
const firstMeasure, measureEvery = 2 * time.Millisecond, 50 * time.Millisecond

// watchMemory calls exceeded once the processes of a group use more memory than limit,
// in bytes, together. stop ends that and what is left of the group, and returns the
// memory that was seen at most; 0 if the group ended before the first measurement.
func watchMemory(group int, limit int64, exceeded func()) (stop func() int64) {
	end := make(chan struct{})
	var peak int64
	var done sync.WaitGroup
	done.Go(func() {
		for wait := firstMeasure; ; wait = min(2*wait, measureEvery) {
			select {
			case <-end:
				return
			case <-time.After(wait):
			}
			if peak = max(peak, groupMemory(group)); peak > limit {
				exceeded()
				return
			}
		}
	})
	return func() int64 {
		close(end)
		done.Wait()
		_ = syscall.Kill(-group, syscall.SIGKILL) // children that outlive the command; mostly there are none
		return peak
	}
}

// groupMemory returns the resident memory of the processes of a group, in bytes.
func groupMemory(group int) (total int64) {
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// The name in parentheses may have spaces and parentheses. Behind it the third
		// field is the group and the 22nd the number of resident pages (proc(5)).
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 22 || fields[2] != strconv.Itoa(group) {
			continue
		}
		if pages, err := strconv.ParseInt(fields[21], 10, 64); err == nil {
			total += pages * int64(os.Getpagesize())
		}
	}
	return total
}
