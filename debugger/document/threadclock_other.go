//go:build !linux

package document

import "time"

// A threadClock measures the time since it was made: the processor time of another
// thread cannot be read here.
type threadClock struct{ start time.Time }

func newThreadClock() threadClock { return threadClock{time.Now()} }

func (c threadClock) spent() time.Duration { return time.Since(c.start) }
