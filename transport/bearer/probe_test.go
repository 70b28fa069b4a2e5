package bearer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// While the store of the keys is unreachable, a key that worked before may send
// probes and nothing else; an unknown key may send nothing.
func TestProbesWithoutAStore(t *testing.T) {
	var h *fixture
	unreachable := false
	h = build(t, func(c *bearer.Config) {
		ring := c.Ring
		c.Ring = findFunc(func(ctx context.Context, token keys.Token) (keys.Record, error) {
			record, err := ring.Find(ctx, token)
			if unreachable && !errors.Is(err, keys.ErrUnknown) {
				return record, fmt.Errorf("%w: connection refused", keys.ErrUnavailable)
			} else if unreachable {
				return keys.Record{}, keys.ErrUnavailable
			}
			return record, err
		})
		c.Meter = brokenMeter{quota.ErrUnavailable}
	})
	_, token := h.key(t, keys.Settings{})
	if caller := h.admit(t, token); !bearer.IsVerified(caller.Principal) {
		t.Error("not verified with its store")
	}
	unreachable = true
	caller := h.admit(t, token)
	if bearer.IsVerified(caller.Principal) {
		t.Error("verified without the store")
	}
	tests := []struct {
		name string
		bill streamable.Bill
		want int
	}{
		{"a probe", streamable.Bill{Probe: true}, http.StatusOK},
		{"a call", streamable.Bill{Calls: 1}, http.StatusServiceUnavailable},
		{"a handshake", streamable.Bill{Handshakes: 1}, http.StatusServiceUnavailable},
		{"a notification", streamable.Bill{}, http.StatusServiceUnavailable},
	}
	for _, tt := range tests {
		status := http.StatusOK
		if refused := h.Charge(t.Context(), http.Header{}, &caller, host.BaselineRevision(), tt.bill); refused != nil {
			status = refused.Status
		}
		if status != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, status, tt.want)
		}
	}
	get := visit("127.0.0.1:40000", "Bearer "+token)
	get.Method = http.MethodGet
	for name, r := range map[string]*http.Request{
		"a GET":          get,
		"an unknown key": visit("127.0.0.1:40000", "Bearer "+keys.NewToken(keys.Live).Reveal()),
	} {
		if _, refused := h.Authenticate(http.Header{}, r); refused == nil || refused.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %+v, want 503", name, refused)
		}
	}
}

// A probe is answered while requests cannot be counted.
func TestProbesWithoutCounters(t *testing.T) {
	h := build(t, func(c *bearer.Config) { c.Meter = brokenMeter{quota.ErrUnavailable} })
	_, token := h.key(t, keys.Settings{})
	caller := h.admit(t, token)
	if refused := h.Charge(t.Context(), http.Header{}, &caller, host.BaselineRevision(), streamable.Bill{Probe: true}); refused != nil {
		t.Errorf("refused with %d: %v", refused.Status, refused.Error)
	}
}
