package document

import (
	"time"

	"golang.org/x/sys/unix"
)

// A threadClock measures the processor time of one thread. It may be read from others.
type threadClock struct{ id int32 }

// newThreadClock returns the clock of the thread of the calling goroutine, which must
// be locked to it.
func newThreadClock() threadClock {
	// The form of MAKE_THREAD_CPUCLOCK in the kernel: not the thread's number, a bit
	// for one thread alone, and 2 for the time on a processor.
	return threadClock{int32(^unix.Gettid()<<3 | 1<<2 | 2)}
}

// spent returns the processor time of the thread, or 0 if it has ended.
func (c threadClock) spent() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(c.id, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
