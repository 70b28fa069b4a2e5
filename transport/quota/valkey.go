package quota

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// valkeyPrefix begins the name of the hash of each key's counts.
	valkeyPrefix = "triptych:quota:"
	// valkeyWait bounds one request to the server.
	valkeyWait = 3 * time.Second
	// valkeyKeep is the time that unused counts stay; it is longer
	// than the longest window.
	valkeyKeep = 40 * 24 * time.Hour
)

// A Valkey is a meter on a Valkey or Redis server, or a cluster of them, that
// any number of processes share. The counts of the key ID are the hash
// triptych:quota:ID; they are as durable as the server keeps them. When an
// answer is lost, its request may count though it was not granted.
//
// A store that has lost its newest writes, or evicted the counts, does not set a key
// back further than what no process has seen: each process remembers the counts that it
// saw last, and the script begins from the larger ones.
type Valkey struct {
	client redis.UniversalClient

	mu   sync.Mutex
	seen map[string]tally
}

// maxSeen limits the keys whose counts a process remembers.
const maxSeen = 20_000

var _ Meter = (*Valkey)(nil)

// NewValkey returns the meter on a server. The client stays the caller's.
func NewValkey(client redis.UniversalClient) *Valkey {
	return &Valkey{client: client, seen: map[string]tally{}}
}

// takeScript begins windows that are over, and counts requests if both limits
// allow all of them. Arguments: the ends of the windows of now, the limits, how
// many to take or 0 to peek, milliseconds to keep, and the windows that the process saw
// last. It returns whether they were granted, and the windows.
const takeText = `
local h = redis.call('HMGET', KEYS[1], 'month_end', 'used', 'minute_end', 'burst')
local month_end, used = tonumber(h[1] or 0), tonumber(h[2] or 0)
local minute_end, burst = tonumber(h[3] or 0), tonumber(h[4] or 0)
local floor_month, floor_used = tonumber(ARGV[7]), tonumber(ARGV[8])
local floor_minute, floor_burst = tonumber(ARGV[9]), tonumber(ARGV[10])
if floor_month > month_end or floor_month == month_end and floor_used > used then month_end, used = floor_month, floor_used end
if floor_minute > minute_end or floor_minute == minute_end and floor_burst > burst then minute_end, burst = floor_minute, floor_burst end
local month, minute = tonumber(ARGV[3]), tonumber(ARGV[4])
if tonumber(ARGV[1]) > month_end then month_end, used = tonumber(ARGV[1]), 0 end
if tonumber(ARGV[2]) > minute_end then minute_end, burst = tonumber(ARGV[2]), 0 end
local n = tonumber(ARGV[5])
local left = (month == 0 or used + n <= month) and (minute == 0 or burst + n <= minute)
if n > 0 and left then
  used, burst = used + n, burst + n
  local text = function(n) return string.format('%.0f', n) end
  redis.call('HSET', KEYS[1], 'month_end', text(month_end), 'used', text(used), 'minute_end', text(minute_end), 'burst', text(burst))
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
end
return {left and 1 or 0, month_end, used, minute_end, burst}`

var (
	takeScript = redis.NewScript(takeText)
	// takeBeyond does the same though the server has no memory left: look-ups go on.
	takeBeyond = redis.NewScript("#!lua flags=allow-oom\n" + takeText)
)

// Take implements [Meter].
func (v *Valkey) Take(ctx context.Context, key string, limits Limits, now time.Time) (Usage, error) {
	return v.TakeAll(ctx, key, limits, 1, now)
}

// TakeAll implements [Meter].
func (v *Valkey) TakeAll(ctx context.Context, key string, limits Limits, n int64, now time.Time) (Usage, error) {
	usage, granted, err := v.run(ctx, key, limits, now, n)
	if err == nil && !granted {
		err = usage.exceeded(n)
	}
	return usage, err
}

// Peek implements [Meter].
func (v *Valkey) Peek(ctx context.Context, key string, limits Limits, now time.Time) (Usage, error) {
	usage, _, err := v.run(ctx, key, limits, now, 0)
	return usage, err
}

// run runs the script that counts. take is the number of requests to grant, 0 to read
// the counts only. granted reports whether the script has counted them.
func (v *Valkey) run(ctx context.Context, key string, limits Limits, now time.Time, take int64) (u Usage, granted bool, err error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	last := v.last(key)
	keys, args := []string{valkeyPrefix + key}, []any{
		monthEnd(now).Unix(), minuteEnd(now).Unix(), limits.Month, limits.Minute, take, valkeyKeep.Milliseconds(),
		unixOf(last.monthEnd), last.used, unixOf(last.minuteEnd), last.burst,
	}
	answer, err := takeScript.Run(ctx, v.client, keys, args...).Int64Slice()
	if err != nil && strings.HasPrefix(err.Error(), "OOM ") {
		answer, err = takeBeyond.Run(ctx, v.client, keys, args...).Int64Slice()
	}
	if err == nil && len(answer) != 5 {
		err = fmt.Errorf("the server answers %d values", len(answer))
	}
	if err != nil {
		return Usage{}, false, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	state := tally{
		monthEnd: time.Unix(answer[1], 0).UTC(), used: answer[2],
		minuteEnd: time.Unix(answer[3], 0).UTC(), burst: answer[4],
	}
	if take > 0 && answer[0] == 1 { // the windows of others are not in the store
		v.note(key, state)
	}
	return state.usage(limits), answer[0] == 1, nil
}

// last returns the windows of a key that this process saw last.
func (v *Valkey) last(key string) tally {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.seen[key]
}

// note remembers the windows of a key. Answers may come out of order.
func (v *Valkey) note(key string, state tally) {
	v.mu.Lock()
	defer v.mu.Unlock()
	old, known := v.seen[key]
	if !known && len(v.seen) >= maxSeen {
		for other := range v.seen { // any one
			delete(v.seen, other)
			break
		}
	}
	if state.monthEnd.Equal(old.monthEnd) {
		state.used = max(state.used, old.used)
	}
	if state.minuteEnd.Equal(old.minuteEnd) {
		state.burst = max(state.burst, old.burst)
	}
	v.seen[key] = state
}

// Close implements [Meter]. The counts are on the server already.
func (v *Valkey) Close() error { return nil }
