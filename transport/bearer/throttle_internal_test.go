package bearer

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/internal/connlimit"
)

// However many addresses fail, the memory of them is bounded; those whose
// answers wait are not forgotten, so their places stay counted.
func TestThrottleForgets(t *testing.T) {
	var all throttle
	all.init()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	waits := connlimit.Network(netip.MustParseAddr("192.0.2.1"))
	for range freeAttempts + 1 {
		all.fail(waits, now)
	}
	for i := range 3 * maxAddresses {
		addr := netip.MustParseAddr(fmt.Sprintf("2001:db8:%x:%x::1", i>>8, i&0xff))
		if delay, ok := all.fail(connlimit.Network(addr), now); delay != 0 || !ok {
			t.Fatalf("%v: delay %v, %v, want none", addr, delay, ok)
		}
		if len(all.by) > maxAddresses {
			t.Fatalf("%d addresses are remembered, want %d at most", len(all.by), maxAddresses)
		}
	}
	if a := all.by[waits]; a == nil || a.waiting != 1 {
		t.Errorf("who waits was forgotten: %+v", a)
	}
}

// A clock that goes back neither forgives failures nor counts any.
func TestThrottleClockGoesBack(t *testing.T) {
	var all throttle
	all.init()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	from := connlimit.Network(netip.MustParseAddr("192.0.2.1"))
	for i := range 2 * freeAttempts {
		delay, ok := all.fail(from, now.Add(-time.Duration(i)*time.Hour))
		if want := i >= freeAttempts; ok != true || (delay > 0) != want {
			t.Errorf("failure %d: delay %v, want one: %v", i+1, delay, want)
		}
	}
}
