package quota

import (
	"sync"
	"time"
)

// A counter counts the requests of one key, for a [Local]. Its methods expect mu held.
type counter struct {
	mu sync.Mutex
	tally
	// covered limits how far the month may be counted without a line in the
	// journal.
	covered int64
	// spare is the number of requests that the process before may have granted in a
	// minute that its journal does not mention; it counts in the first
	// window that we see.
	spare int64
}

// A tally is the state of a counter's windows. Both begin with the first request after
// the end of the one before.
type tally struct {
	monthEnd  time.Time
	used      int64 // in the month
	minuteEnd time.Time
	burst     int64 // in the minute
}

// roll begins the windows that a time belongs to, if it is after those that are counted,
// and reports which it has begun. A time before them changes nothing: a clock that was
// set back does not give the same minute twice.
func (t *tally) roll(now time.Time) (month, minute bool) {
	if !now.Before(t.monthEnd) {
		t.monthEnd = monthEnd(now)
		t.used, month = 0, true
	}
	if !now.Before(t.minuteEnd) {
		t.minuteEnd = minuteEnd(now)
		t.burst, minute = 0, true
	}
	return month, minute
}

// roll begins windows as [tally.roll] does. What the process before may have granted
// counts in the first window after its end.
func (c *counter) roll(now time.Time) {
	month, minute := c.tally.roll(now)
	if month {
		c.covered = 0
	}
	if minute {
		c.burst = c.spare
	}
	c.spare = 0
}

// usage returns the windows as callers see them, under the limits of now.
func (t *tally) usage(limits Limits) Usage {
	return Usage{
		Month:  Window{Limit: limits.Month, Used: t.used, Reset: t.monthEnd},
		Minute: Window{Limit: limits.Minute, Used: t.burst, Reset: t.minuteEnd},
	}
}

// largestBlock limits the requests of its month that a crash costs a key,
// whatever the plan.
const largestBlock = 75

// blockOf returns how many requests are journaled as used, or leased, at once; at least
// one. A crash costs the key the rest of a block, so a block is at most a thousandth of
// the month and a quarter of the minute: nothing for the plan Free, 10 requests of 10,000
// for Developer, [largestBlock] for Team and Enterprise.
func blockOf(limits Limits) int64 {
	block := int64(largestBlock)
	if limits.Month != 0 {
		block = min(block, limits.Month/1000)
	}
	if limits.Minute != 0 {
		block = min(block, limits.Minute/4)
	}
	return max(1, block)
}
