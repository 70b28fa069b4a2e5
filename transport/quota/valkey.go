package quota

import (
	"context"
	"fmt"
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
type Valkey struct {
	client redis.UniversalClient
}

var _ Meter = (*Valkey)(nil)

// NewValkey returns the meter on a server. The client stays the caller's.
func NewValkey(client redis.UniversalClient) *Valkey { return &Valkey{client} }

// takeScript begins windows that are over, and counts requests if both limits
// allow all of them. Arguments: the ends of the windows of now, the limits, how
// many to take or 0 to peek, milliseconds to keep. It returns whether they were
// granted, and the windows.
var takeScript = redis.NewScript(`
local h = redis.call('HMGET', KEYS[1], 'month_end', 'used', 'minute_end', 'burst')
local month_end, used = tonumber(h[1] or 0), tonumber(h[2] or 0)
local minute_end, burst = tonumber(h[3] or 0), tonumber(h[4] or 0)
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
return {left and 1 or 0, month_end, used, minute_end, burst}`)

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
	answer, err := takeScript.Run(ctx, v.client, []string{valkeyPrefix + key},
		monthEnd(now).Unix(), minuteEnd(now).Unix(), limits.Month, limits.Minute, take, valkeyKeep.Milliseconds()).Int64Slice()
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
	return state.usage(limits), answer[0] == 1, nil
}

// Close implements [Meter]. The counts are on the server already.
func (v *Valkey) Close() error { return nil }
