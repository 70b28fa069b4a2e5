package quota_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// takeOfEarlier is the script of the version before leases, which servers run until they
// are replaced.
const takeOfEarlier = `
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

// While servers of both versions run, what was returned in one window adds nothing to the
// limit of the next one, which the earlier version may begin.
func TestReturnsEndWithTheirWindow(t *testing.T) {
	for name, later := range map[string]time.Time{"minute": nextMinute, "month": march} {
		t.Run(name, func(t *testing.T) {
			stores(t, func(t *testing.T, url string) {
				m := newMeter(t, url)
				take(t, m, "k", leased, noon, 1)
				if err := m.Close(); err != nil { // returns what the lease has left
					t.Fatal(err)
				}
				client := valkeytest.Client(t, url)
				if back := client.HGet(t.Context(), "triptych:quota:k", "back").Val(); back != "75" {
					t.Fatalf("%s requests were returned, want %d", back, largestBlock)
				}
				limits := quota.Limits{Month: leased.Month, Minute: 10}
				if later.Equal(march) {
					limits = quota.Limits{Month: 10}
				}
				monthEnd := time.Date(later.Year(), later.Month()+1, 1, 0, 0, 0, 0, time.UTC)
				err := redis.NewScript(takeOfEarlier).Run(t.Context(), client, []string{"triptych:quota:k"},
					monthEnd.Unix(), later.Add(time.Minute).Unix(), limits.Month, limits.Minute, 1,
					time.Hour.Milliseconds(), 0, 0, 0, 0).Err()
				if err != nil {
					t.Fatal(err)
				}
				if later.Equal(march) {
					counts, err := quota.ReadValkey(t.Context(), client, "")
					if err != nil || len(counts) != 1 || counts[0].Used != 1 {
						t.Errorf("counts to copy: %+v, %v; want 1 used", counts, err)
					}
				}
				two := newMeter(t, url)
				take(t, two, "k", limits, later, 9)
				refused(t, two, "k", limits, later)
			})
		})
	}
}
