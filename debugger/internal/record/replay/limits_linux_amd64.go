package replay

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Limits of a process that replays. The code of a recording, which may be another person's,
// decides what it uses.
const (
	maxReplaySeconds = 600
	maxReplayMemory  = 8 << 30 // but not more than half of the machine's
)

// pageSize is the size of a page.
const pageSize = recfile.PageSize

// A LimitError reports that a replay was ended because it used too much.
type LimitError struct{ What string }

func (e *LimitError) Error() string { return "the replay was ended: it used " + e.What }

// errProcessorTime reports the end of a process by the limit of limitTime.
var errProcessorTime = &LimitError{fmt.Sprintf("%d seconds of processor time without a pause", maxReplaySeconds)}

// limitTime limits the processor time of a process, and of each of its forks. It then gets
// SIGXCPU, and is killed soon after.
func limitTime(pid int, seconds uint64) error {
	return unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds + 10}, nil)
}

// watchEvery is the time between looks at the memory of a process.
const watchEvery = 20 * time.Millisecond

// watchMemory cancels a context when the process that replays has more memory than a limit,
// until the function that it returns is called.
func (t *Timeline) watchMemory(cancel context.CancelCauseFunc) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if err := t.checkMemory(int(t.replaying.Load())); err != nil {
				cancel(err)
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// checkMemory returns an error if a process has more memory than it may have. The process
// 0 has none.
func (t *Timeline) checkMemory(pid int) error {
	if pid == 0 || resident(pid) <= t.sizes.MemoryLimit {
		return nil
	}
	return &LimitError{fmt.Sprintf("more than %d MiB of memory", t.sizes.MemoryLimit>>20)}
}

// resident returns the bytes of memory that a process has, 0 if it has ended.
func resident(pid int) (bytes uint64) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	var size, pages uint64
	_, _ = fmt.Sscan(string(text), &size, &pages)
	return pages * pageSize
}

// memoryLimit returns the limit of the memory of a process that replays.
func memoryLimit() uint64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return maxReplayMemory
	}
	return min(maxReplayMemory, info.Totalram*uint64(info.Unit)/2)
}
