package peer

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"
)

// A header is good for a minute, and once also when its nonce was noted in the period
// before.
func TestFreshness(t *testing.T) {
	key, began := NewKey([]byte("secret")), time.Now()
	signed := func(at time.Time) *http.Request {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mcp", http.NoBody)
		key.sign(r, "two", netip.AddrPort{}, nil, at)
		return r
	}
	for _, tt := range []struct {
		age  time.Duration
		want error
	}{{0, nil}, {59 * time.Second, nil}, {-59 * time.Second, nil}, {61 * time.Second, errStale}, {-61 * time.Second, errStale}} {
		if _, err := key.open(signed(began.Add(-tt.age)), began); !errors.Is(err, tt.want) {
			t.Errorf("age %v: %v, want %v", tt.age, err, tt.want)
		}
	}
	ahead := signed(began.Add(59 * time.Second))
	if _, err := key.open(ahead, began); err != nil {
		t.Fatal(err)
	}
	for _, later := range []time.Duration{0, time.Minute, 118 * time.Second} {
		if _, err := key.open(ahead, began.Add(later)); !errors.Is(err, errReused) {
			t.Errorf("used again after %v: %v", later, err)
		}
	}
	if _, err := key.open(signed(began), began); err != nil {
		t.Errorf("another header: %v", err)
	}
	if _, err := NewKey([]byte("other")).open(signed(began), began); !errors.Is(err, errForged) {
		t.Errorf("another secret: %v", err)
	}
}
