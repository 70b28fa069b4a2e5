package quota

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// A Meter counts requests. Its methods may be called from any goroutine. A key is an
// opaque name: the meter knows nothing of who has it.
type Meter interface {
	// Take counts one request of a key at a time, unless that is more than
	// the limits allow: then it returns an [*ExceededError] and the usage,
	// and the request does not count. A key's limits may change between
	// calls.
	Take(ctx context.Context, key string, limits Limits, now time.Time) (Usage, error)
	// TakeAll counts n requests that come together, at least one: all of
	// them, or none when the limits do not allow that many more.
	TakeAll(ctx context.Context, key string, limits Limits, n int64, now time.Time) (Usage, error)
	// Peek returns the usage from which Take would begin.
	Peek(ctx context.Context, key string, limits Limits, now time.Time) (Usage, error)
	// Close keeps the counts. Nothing can be taken afterwards.
	Close() error
}

// Limits are how many requests are allowed in each window; 0 is any number.
type Limits struct {
	Month  int64 `json:"month,omitzero"`
	Minute int64 `json:"minute,omitzero"`
}

// None reports whether any number is allowed.
func (l Limits) None() bool { return l == Limits{} }

var (
	// ErrUnavailable is wrapped when the backend cannot count now.
	ErrUnavailable = errors.New("requests cannot be counted")
	// ErrInUse is wrapped when another process counts in a folder.
	ErrInUse = errors.New("another process counts requests in this folder")
	// ErrClosed is returned by a meter that was closed.
	ErrClosed = errors.New("the meter is closed")
)

// A Period is the kind of a window.
type Period string

// The periods.
const (
	Month  Period = "month"
	Minute Period = "minute"
)

// A Window is the use of a limit in the current calendar month or minute.
type Window struct {
	Limit int64 // 0 is any number
	Used  int64
	Reset time.Time // when the next window begins
}

// Unlimited reports whether any number of requests is allowed.
func (w Window) Unlimited() bool { return w.Limit == 0 }

// Remaining returns the number of requests that are left: none when a limit was lowered below
// what was used, [math.MaxInt64] when there is no limit.
func (w Window) Remaining() int64 {
	if w.Unlimited() {
		return math.MaxInt64
	}
	return max(0, w.Limit-w.Used)
}

// share returns the part that is left, 0 to 1. Without a limit it is 1.
func (w Window) share() float64 {
	if w.Unlimited() {
		return 1
	}
	return float64(w.Remaining()) / math.Max(1, float64(w.Limit))
}

// A Usage is the use of both windows by one key, at the time of the call that returned
// it.
type Usage struct {
	Month  Window
	Minute Window
}

// Tightest returns the window that the rate-limit headers show: that of which the smaller
// share is left, the month when they are equal. Its Limit is 0 when there is no limit at
// all.
func (u Usage) Tightest() Window {
	switch {
	case u.Month.Unlimited():
		return u.Minute
	case u.Minute.Unlimited() || u.Month.share() <= u.Minute.share():
		return u.Month
	}
	return u.Minute
}

// Headers returns the values of X-RateLimit-Limit, -Remaining and -Reset (Unix seconds)
// for the tightest window. ok is false when there is no limit that they could state.
func (u Usage) Headers() (limit, remaining, reset string, ok bool) {
	w := u.Tightest()
	if w.Unlimited() {
		return "", "", "", false
	}
	text := strconv.AppendInt(make([]byte, 0, 64), max(0, w.Limit), 10)
	first := len(text)
	text = strconv.AppendInt(text, w.Remaining(), 10)
	second := len(text)
	all := string(strconv.AppendInt(text, w.Reset.Unix(), 10)) // in one piece of memory
	return all[:first], all[first:second], all[second:], true
}

// exceeded returns the error for the limit that n more requests would break, nil if none.
// The month goes first: it is the longer wait. The usage must be the one in which they
// would count, so a backend calls this with its lock held.
func (u Usage) exceeded(n int64) error {
	if u.Month.Remaining() < n {
		return &ExceededError{Month, u.Month.Limit, u.Month.Used, u.Month.Reset}
	}
	if u.Minute.Remaining() < n {
		return &ExceededError{Minute, u.Minute.Limit, u.Minute.Used, u.Minute.Reset}
	}
	return nil
}

// An ExceededError reports that requests are more than allowed. None of them was counted.
type ExceededError struct {
	Period  Period
	Limit   int64
	Used    int64
	ResetAt time.Time // when requests are allowed again
}

// Error returns how much is used, of which limit, and when the next period begins.
// Clients see it.
func (e *ExceededError) Error() string {
	return fmt.Sprintf("%d of %d requests of this %s are used; the next begins at %s",
		e.Used, e.Limit, e.Period, e.ResetAt.UTC().Format(time.RFC3339))
}

// RetryAfter returns the value of the Retry-After header in seconds (RFC 9110, section
// 10.2.3): whole seconds from now on, rounded up, and at least one.
func (e *ExceededError) RetryAfter(now time.Time) int64 {
	return max(1, int64(math.Ceil(e.ResetAt.Sub(now).Seconds())))
}

// monthEnd returns the end of the calendar month around a time, in UTC.
func monthEnd(t time.Time) time.Time {
	year, month, _ := t.UTC().Date()
	return time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
}

// minuteEnd returns the end of the minute around a time, in UTC.
func minuteEnd(t time.Time) time.Time {
	return t.UTC().Truncate(time.Minute).Add(time.Minute)
}
