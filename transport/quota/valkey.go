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
	// valkeyPrefix begins the name of the hash of each key's counts, after the prefix of
	// the installation.
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
// # Leases
//
// A process counts some requests of a busy key ahead, as one block, and grants them
// without asking the server. What it does not use for a second it returns. While a lease
// is out, its requests count as used for all other processes, so that never more than the
// limit is granted. Near a limit blocks become smaller, and then requests are counted one
// by one: a lease is at most a [leaseShare]th of what is left. A process that is killed
// costs the key what is left of its lease: at most one block, which is at most 75
// requests and a thousandth of the month.
//
// # Loss
//
// A store that has lost its newest writes, or evicted the counts, does not set a key
// back further than what no process has seen: each process remembers the counts that it
// saw last, and the script begins from the larger ones.
type Valkey struct {
	client redis.UniversalClient
	prefix string
	idle   time.Duration // after it a lease that was not used is returned
	most   int           // accounts

	mu       sync.Mutex
	accounts map[string]*account
	closed   bool
	sweeper  *time.Timer // returns leases that are not used; nil while there are none
	jobs     sync.WaitGroup
}

var _ Meter = (*Valkey)(nil)

// NewValkey returns the meter on a server. It starts nothing. The client stays the
// caller's, who closes it after the meter. The names of all counts begin with prefix,
// which may be empty.
func NewValkey(client redis.UniversalClient, prefix string) *Valkey {
	return &Valkey{client: client, prefix: prefix, idle: leaseIdle, most: maxAccounts, accounts: map[string]*account{}}
}

// takeText begins windows that are over, returns the rest of a lease, and counts requests
// if both limits allow all of them. Then it counts a lease, if there is enough left.
//
// Arguments: the ends of the windows of now, the limits, how many to take or 0 for none,
// how many to lease at most, milliseconds to keep; the windows that the process saw last;
// how many of a lease to return, and the ends of its windows. The result: whether the
// requests were granted, the windows, the size of the lease, and whether anything was
// written.
//
// used and burst only grow within a window, and so do back and burst_back, which count
// what was returned: of two states of one window the larger numbers are the later ones.
//
// A server of an earlier version begins a window without touching back and burst_back. So
// back_end and burst_back_end say of which windows these are; those of another window are 0.
const takeText = `
local function number(i) return tonumber(ARGV[i]) end
local h = redis.call('HMGET', KEYS[1], 'month_end', 'used', 'back', 'minute_end', 'burst', 'burst_back', 'back_end', 'burst_back_end')
for i = 1, 8 do h[i] = tonumber(h[i] or 0) end
if h[7] ~= h[1] then h[3] = 0 end
if h[8] ~= h[4] then h[6] = 0 end
for i = 0, 3, 3 do
  local floor = {number(8 + i), number(9 + i), number(10 + i)}
  if floor[1] > h[1 + i] then
    h[1 + i], h[2 + i], h[3 + i] = floor[1], floor[2], floor[3]
  elseif floor[1] == h[1 + i] then
    h[2 + i], h[3 + i] = math.max(h[2 + i], floor[2]), math.max(h[3 + i], floor[3])
  end
end
if number(1) > h[1] then h[1], h[2], h[3] = number(1), 0, 0 end
if number(2) > h[4] then h[4], h[5], h[6] = number(2), 0, 0 end
local rest, n, lease = number(14), number(5), number(6)
if number(15) == h[1] then h[3] = math.min(h[2], h[3] + rest) end
if number(16) == h[4] then h[6] = math.min(h[5], h[6] + rest) end
local function left()
  local most = math.huge
  if number(3) ~= 0 then most = math.min(most, number(3) - h[2] + h[3]) end
  if number(4) ~= 0 then most = math.min(most, number(4) - h[5] + h[6]) end
  return most
end
local granted = left() >= n
if granted then h[2], h[5] = h[2] + n, h[5] + n else n = 0 end
lease = math.max(0, math.min(lease, math.floor(left() / number(17))))
if not granted then lease = 0 end
h[2], h[5] = h[2] + lease, h[5] + lease
local written = n + rest + lease > 0
if written then
  h[7], h[8] = h[1], h[4]
  local text = {}
  for i, name in ipairs({'month_end', 'used', 'back', 'minute_end', 'burst', 'burst_back', 'back_end', 'burst_back_end'}) do
    text[2 * i - 1], text[2 * i] = name, string.format('%.0f', h[i])
  end
  redis.call('HSET', KEYS[1], unpack(text))
  redis.call('PEXPIRE', KEYS[1], ARGV[7])
end
return {granted and 1 or 0, h[1], h[2], h[3], h[4], h[5], h[6], lease, written and 1 or 0}`

var (
	takeScript = redis.NewScript(takeText)
	// takeBeyond does the same though the server has no memory left: look-ups go on.
	takeBeyond = redis.NewScript("#!lua flags=allow-oom\n" + takeText)
)

// A request is the arguments of a run of the script. Its windows are the ones around now.
type request struct {
	now    time.Time
	limits Limits
	take   int64 // requests to count, all or none
	lease  int64 // requests to count ahead, at most
	floor  state // that the process saw last
	rest   lease // to return

	filling chan struct{} // closed when a request for a lease is answered; nil for another
}

// A reply is the result of the script.
type reply struct {
	state
	granted bool
	lease   int64
	written bool
}

// run runs the script that counts, within valkeyWait. Its error wraps [ErrUnavailable];
// the script may have run all the same, in which case the requests count though they are
// not granted. The lock must not be held.
func (v *Valkey) run(ctx context.Context, key string, r request) (reply, error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	keys, args := []string{v.prefix + valkeyPrefix + key}, []any{
		monthEnd(r.now).Unix(), minuteEnd(r.now).Unix(), r.limits.Month, r.limits.Minute, r.take, r.lease, valkeyKeep.Milliseconds(),
		unixOf(r.floor.monthEnd), r.floor.used, r.floor.back, unixOf(r.floor.minuteEnd), r.floor.burst, r.floor.burstBack,
		r.rest.n, unixOf(r.rest.monthEnd), unixOf(r.rest.minuteEnd), leaseShare,
	}
	answer, err := takeScript.Run(ctx, v.client, keys, args...).Int64Slice()
	if err != nil && strings.HasPrefix(err.Error(), "OOM ") {
		answer, err = takeBeyond.Run(ctx, v.client, keys, args...).Int64Slice()
	}
	if err == nil && len(answer) != 9 {
		err = fmt.Errorf("the server answers %d values", len(answer))
	}
	if err != nil {
		return reply{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return reply{
		state: state{
			tally: tally{
				monthEnd: time.Unix(answer[1], 0).UTC(), used: answer[2],
				minuteEnd: time.Unix(answer[4], 0).UTC(), burst: answer[5],
			},
			back: answer[3], burstBack: answer[6],
		},
		granted: answer[0] == 1, lease: answer[7], written: answer[8] == 1,
	}, nil
}

// Take implements [Meter].
func (v *Valkey) Take(ctx context.Context, key string, limits Limits, now time.Time) (Usage, error) {
	return v.TakeAll(ctx, key, limits, 1, now)
}

// TakeAll implements [Meter]. It blocks on the server only when the lease of the key does
// not suffice. When the server refuses though this process is about to get a lease, it
// tries once more: what seemed used up may be that lease.
func (v *Valkey) TakeAll(ctx context.Context, key string, limits Limits, n int64, now time.Time) (Usage, error) {
	waited := v.awaitLease(ctx, key, limits, n, now)
	for {
		usage, r, err := v.takeLeased(key, limits, n, now)
		if err != nil || r == nil {
			return usage, err
		}
		got, err := v.run(ctx, key, *r)
		usage = v.give(key, *r, got)
		v.jobs.Done()
		switch {
		case err != nil:
			return Usage{}, err
		case got.granted:
			return usage, nil
		case !waited && v.awaitLease(ctx, key, limits, n, now):
			waited = true // what was left may have become our own lease meanwhile
		default:
			return usage, usage.exceeded(n)
		}
	}
}

// Peek implements [Meter]. While the process has a lease of the key, it answers from what
// it knows, which other processes' requests are missing from; else it asks the server.
func (v *Valkey) Peek(ctx context.Context, key string, limits Limits, now time.Time) (Usage, error) {
	v.mu.Lock()
	a := v.accounts[key]
	if a != nil && a.lease.good(limits, now, 1) {
		defer v.mu.Unlock()
		return a.usage(limits), nil
	}
	r := request{now: now, limits: limits}
	if a != nil {
		r.floor = a.state
	}
	v.mu.Unlock()
	got, err := v.run(ctx, key, r)
	if err != nil {
		return Usage{}, err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return got.net(v.accounts[key].unused(got.minuteEnd)).usage(limits), nil
}
