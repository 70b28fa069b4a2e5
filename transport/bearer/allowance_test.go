package bearer_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// Handshakes take nothing from the quota, and there are as many in a minute as
// calls, but at least thirty.
func TestHandshakesAreBounded(t *testing.T) {
	for _, tt := range []struct {
		plan quota.Plan
		own  quota.Limits
		want int
	}{
		{quota.Free, quota.Limits{}, 30},
		{quota.Developer, quota.Limits{}, 60},
		{quota.Enterprise, quota.Limits{Minute: 500}, 500},
		{quota.Enterprise, quota.Limits{Month: 10}, 2000},
		{quota.Enterprise, quota.Limits{}, 2000},
	} {
		h := build(t)
		_, token := h.key(t, keys.Settings{Plan: tt.plan, Own: tt.own})
		caller := h.admit(t, token)
		before, _ := h.charge(t, caller, 0)
		one := streamable.Bill{Handshakes: 1}
		begun := 0
		for ; begun < 2000; begun++ {
			header := http.Header{}
			if refused := h.Charge(t.Context(), header, &caller, host.BaselineRevision(), one); refused != nil {
				if refused.Status != 429 || refused.Error.Code != -32002 || header.Get("Retry-After") != "30" {
					t.Errorf("%s: got %d, %d, Retry-After %q", tt.plan, refused.Status, refused.Error.Code, header.Get("Retry-After"))
				}
				break
			}
		}
		if begun != tt.want {
			t.Errorf("%s %+v: %d handshakes in a minute, want %d", tt.plan, tt.own, begun, tt.want)
		}
		after, refused := h.charge(t, caller, 0)
		if diff := cmp.Diff(before, after); diff != "" || refused != nil {
			t.Errorf("%s: the quota has changed: %s", tt.plan, diff)
		}
		h.now = nextMinute
		if refused := h.Charge(t.Context(), http.Header{}, &caller, host.BaselineRevision(), one); refused != nil {
			t.Errorf("%s: refused in the next minute: %v", tt.plan, refused.Error)
		}
	}
}

// Handshakes with several servers are counted together, and by each of them alone while
// that is not possible.
func TestHandshakesWithSeveralServers(t *testing.T) {
	h := build(t)
	_, token := h.key(t, keys.Settings{Plan: quota.Free})
	var servers []*bearer.Authenticator
	for range 3 {
		servers = append(servers, bearer.New(bearer.Config{
			Ring: h.keys, Meter: h.meter, Handshakes: h.meter, Now: func() time.Time { return h.now },
		}))
	}
	caller := h.admit(t, token)
	begun := 0
	for n := range 120 {
		if servers[n%3].Charge(t.Context(), http.Header{}, &caller, host.BaselineRevision(), streamable.Bill{Handshakes: 1}) == nil {
			begun++
		}
	}
	if begun != 30 {
		t.Errorf("%d handshakes in a minute, want 30", begun)
	}
	alone := bearer.New(bearer.Config{Ring: h.keys, Meter: h.meter, Handshakes: awayMeter{h.meter}, Now: func() time.Time { return h.now }})
	begun = 0
	for range 40 {
		if alone.Charge(t.Context(), http.Header{}, &caller, host.BaselineRevision(), streamable.Bill{Handshakes: 1}) == nil {
			begun++
		}
	}
	if begun != 30 {
		t.Errorf("%d handshakes with a server that cannot count them with the others, want 30", begun)
	}
}

// An awayMeter cannot count.
type awayMeter struct{ quota.Meter }

func (awayMeter) TakeAll(context.Context, string, quota.Limits, int64, time.Time) (quota.Usage, error) {
	return quota.Usage{}, quota.ErrUnavailable
}

// A key whose bodies were broken too often waits for the next minute before
// another one is read; other keys do not.
func TestBrokenBodiesAreBounded(t *testing.T) {
	h := build(t)
	id, token := h.key(t, keys.Settings{Plan: quota.Free})
	_, other := h.key(t, keys.Settings{Plan: quota.Free})
	for range 30 {
		caller := h.admit(t, token)
		if refused := h.Charge(t.Context(), http.Header{}, &caller, host.BaselineRevision(), streamable.Bill{Broken: 1}); refused != nil {
			t.Fatal(refused.Error)
		}
	}
	header := http.Header{}
	_, refused := h.Authenticate(header, visit("127.0.0.1:40000", "Bearer "+token))
	if refused == nil || refused.Status != 429 || refused.Error.Code != -32002 || header.Get("Retry-After") != "30" || header.Get("X-Ratelimit-Limit") == "" {
		t.Fatalf("got %+v, %v; want 429 until the end of the minute", refused, header)
	}
	if heard := h.heard(); len(heard) != 1 || heard[0].Key != id || heard[0].Code != host.CodeQuotaExceeded {
		t.Errorf("recorded %+v, want one refusal of %s", heard, id)
	}
	h.admit(t, other)
	get := visit("127.0.0.1:40000", "Bearer "+token)
	get.Method = http.MethodGet
	if _, refused := h.Authenticate(http.Header{}, get); refused != nil {
		t.Errorf("a stream is refused: %v", refused.Error)
	}
	h.now = nextMinute
	h.admit(t, token)
}
