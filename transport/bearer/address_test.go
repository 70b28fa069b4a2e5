package bearer_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// X-Forwarded-For is believed from listed proxies alone, and only as far back
// as proxies wrote it.
func TestForwardedFor(t *testing.T) {
	h := build(t, func(c *bearer.Config) {
		c.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:ffff::/48")}
	})
	_, token := h.key(t, keys.Settings{})
	tests := []struct {
		name      string
		peer      string
		forwarded []string
		want      string
	}{
		{"no proxy", "192.0.2.1:7", nil, "192.0.2.1:7"},
		{"no proxy says so", "192.0.2.1:7", []string{"198.51.100.1"}, "192.0.2.1:7"},
		{"a proxy that says nothing", "10.0.0.1:7", nil, "10.0.0.1:7"},
		{"a proxy", "10.0.0.1:7", []string{"198.51.100.1"}, "198.51.100.1:0"},
		{"an IPv6 proxy", "[2001:db8:ffff::1]:7", []string{"2001:db8::9"}, "[2001:db8::9]:0"},
		{"a proxy over IPv6 with an IPv4 address", "[::ffff:10.0.0.1]:7", []string{"198.51.100.1"}, "198.51.100.1:0"},
		{"a proxy behind a proxy", "10.0.0.1:7", []string{"198.51.100.1, 10.0.0.2"}, "198.51.100.1:0"},
		{"two headers", "10.0.0.1:7", []string{"198.51.100.1", "10.0.0.2"}, "198.51.100.1:0"},
		{"the client invents hops", "10.0.0.1:7", []string{"127.0.0.1, 198.51.100.1"}, "198.51.100.1:0"},
		{"the client invents proxies", "10.0.0.1:7", []string{"10.0.0.9, 198.51.100.1"}, "198.51.100.1:0"},
		{"only proxies", "10.0.0.1:7", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3:0"},
		{"nonsense", "10.0.0.1:7", []string{"unknown"}, "10.0.0.1:7"},
		{"nonsense before the proxy's word", "10.0.0.1:7", []string{"<script>, 198.51.100.1"}, "198.51.100.1:0"},
		{"an IPv4 address as IPv6", "10.0.0.1:7", []string{"::ffff:198.51.100.1"}, "198.51.100.1:0"},
		{"an empty word", "10.0.0.1:7", []string{"198.51.100.1,"}, "10.0.0.1:7"},
		{"no address at all", "@", []string{"198.51.100.1"}, "invalid AddrPort"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := visit(tc.peer, "Bearer "+token)
			r.Header["X-Forwarded-For"] = tc.forwarded
			caller, refused := h.Authenticate(http.Header{}, r)
			if refused != nil {
				t.Fatalf("refused with %d: %v", refused.Status, refused.Error)
			}
			if got := caller.Addr.String(); got != tc.want {
				t.Errorf("from %s, want %s", got, tc.want)
			}
		})
	}
}

// The address allowlist of a key looks at that address.
func TestAllowlist(t *testing.T) {
	h := build(t, func(c *bearer.Config) { c.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.1/32")} })
	_, token := h.key(t, keys.Settings{Allow: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("2001:db8::/64")}})
	tests := []struct {
		name, peer, forwarded string
		want                  int // status of the refusal, 0 for none
	}{
		{"inside", "198.51.100.200:7", "", 0},
		{"inside, over IPv6", "[::ffff:198.51.100.200]:7", "", 0},
		{"inside, IPv6 with a zone", "[2001:db8::1%eth0]:7", "", 0},
		{"outside", "192.0.2.1:7", "", 403},
		{"outside, claims to be inside", "192.0.2.1:7", "198.51.100.200", 403},
		{"inside, by the proxy", "10.0.0.1:7", "198.51.100.200", 0},
		{"outside, by the proxy", "10.0.0.1:7", "192.0.2.1", 403},
		{"outside, by the proxy, claims to be inside", "10.0.0.1:7", "198.51.100.200, 192.0.2.1", 403},
		{"the proxy itself", "10.0.0.1:7", "", 403},
		{"nowhere", "@", "", 403},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := visit(tc.peer, "Bearer "+token)
			if tc.forwarded != "" {
				r.Header.Set("X-Forwarded-For", tc.forwarded)
			}
			got := 0
			if _, refused := h.Authenticate(http.Header{}, r); refused != nil {
				got = refused.Status
			}
			if got != tc.want {
				t.Errorf("status %d, want %d", got, tc.want)
			}
		})
	}
}
