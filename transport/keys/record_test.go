package keys_test

import (
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

func TestCheck(t *testing.T) {
	ranges := []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("2001:db8::/32"),
	}
	only := keys.Record{Settings: keys.Settings{Allow: ranges}}
	tests := []struct {
		name   string
		record keys.Record
		now    time.Time
		from   string
		want   error // nil: it works
	}{
		{name: "plain", from: "198.51.100.1"},
		{name: "no address is needed where all are allowed"},
		{name: "revoked", record: keys.Record{Revoked: noon.Add(time.Hour)}, now: noon, want: keys.ErrRevoked},
		{name: "before it expires", record: keys.Record{Settings: keys.Settings{Expires: noon}}, now: noon.Add(-1)},
		{name: "as it expires", record: keys.Record{Settings: keys.Settings{Expires: noon}}, now: noon, want: keys.ErrExpired},
		{name: "in another zone", record: keys.Record{Settings: keys.Settings{Expires: noon}}, now: noon.Add(-1).In(time.FixedZone("", 7200))},
		{
			name: "revoked and expired", record: keys.Record{Revoked: noon, Settings: keys.Settings{Expires: noon}},
			now: noon, want: keys.ErrRevoked,
		},
		{name: "in a range", record: only, from: "10.1.255.255"},
		{name: "beside it", record: only, from: "10.2.0.0", want: &keys.AddressError{}},
		{name: "one address", record: only, from: "192.0.2.7"},
		{name: "the next", record: only, from: "192.0.2.8", want: &keys.AddressError{}},
		{name: "IPv6", record: only, from: "2001:db8:ffff::1"},
		{name: "IPv6 outside", record: only, from: "2001:db9::", want: &keys.AddressError{}},
		{name: "IPv4 over IPv6", record: only, from: "::ffff:10.1.2.3"},
		{name: "IPv4 over IPv6 outside", record: only, from: "::ffff:10.2.2.3", want: &keys.AddressError{}},
		{name: "with a zone", record: only, from: "2001:db8::1%eth0"},
		{name: "no address", record: only, want: &keys.AddressError{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var from netip.Addr
			if tt.from != "" {
				from = netip.MustParseAddr(tt.from)
			}
			got := tt.record.Check(tt.now, from)
			if _, address := errors.AsType[*keys.AddressError](tt.want); address {
				if _, ok := errors.AsType[*keys.AddressError](got); !ok {
					t.Errorf("got %v, want an AddressError", got)
				}
			} else if !errors.Is(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestParsePrefix(t *testing.T) {
	tests := []struct{ text, want string }{
		{"10.1.2.3/8", "10.0.0.0/8"},
		{"10.1.2.3", "10.1.2.3/32"},
		{"2001:db8::1", "2001:db8::1/128"},
		{"2001:db8::1/32", "2001:db8::/32"},
		{"::ffff:10.1.2.3", "10.1.2.3/32"},
		{"::ffff:10.1.2.3/104", "10.0.0.0/8"},
		{"0.0.0.0/0", "0.0.0.0/0"},
		{"::/0", "::/0"},
	}
	for _, tt := range tests {
		if got, err := keys.ParsePrefix(tt.text); err != nil || got.String() != tt.want {
			t.Errorf("ParsePrefix(%q) = %v, %v, want %s", tt.text, got, err, tt.want)
		}
	}
	for _, text := range []string{"", "10.1.2", "10.0.0.0/33", "fe80::1%eth0", "fe80::%eth0/10", "localhost", "10.0.0.0/-1", "10.0.0.0/08"} {
		if got, err := keys.ParsePrefix(text); err == nil {
			t.Errorf("ParsePrefix(%q) = %v", text, got)
		}
	}
}

// TestScopes parses the scopes that there are, and no others.
func TestScopes(t *testing.T) {
	all := []host.Scope{"debug:read", "debug:write", "audit:read"}
	for _, want := range all {
		if got, err := keys.ParseScope(string(want), all); err != nil || got != want {
			t.Errorf("ParseScope(%q) = %q, %v", want, got, err)
		}
	}
	for _, text := range []string{"", "debug", "debug:*", "Debug:read", "audit:write"} {
		if got, err := keys.ParseScope(text, all); err == nil {
			t.Errorf("ParseScope(%q) = %q", text, got)
		}
	}
}

func TestLimitsOfARecord(t *testing.T) {
	own := quota.Limits{Month: 7, Minute: 3}
	tests := []struct {
		plan quota.Plan
		want quota.Limits
	}{
		{quota.Free, quota.Limits{Month: 100, Minute: 10}},
		{quota.Developer, quota.Limits{Month: 10_000, Minute: 60}},
		{quota.Team, quota.Limits{Month: 100_000, Minute: 300}},
		{quota.Enterprise, own},
	}
	for _, tt := range tests {
		r := keys.Record{Settings: keys.Settings{Plan: tt.plan, Own: own}}
		if got := r.Limits(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.plan, got, tt.want)
		}
	}
}

// TestPrincipal: a record without scopes has no right; in a principal nil would
// be every right.
func TestPrincipal(t *testing.T) {
	for _, scopes := range [][]host.Scope{nil, {}} {
		r := keys.Record{ID: "key_0123456789", Settings: keys.Settings{Scopes: scopes}}
		if p := r.Principal(); p.Allows("aoc:read") || p.ID != r.ID {
			t.Errorf("%v: %+v", scopes, p)
		}
	}
}

// TestToolsetsOfAKey reach the principal; what is no toolset is refused.
func TestToolsetsOfAKey(t *testing.T) {
	r := keys.Record{ID: "key_1", Settings: keys.Settings{Toolsets: []string{"aoc", "debugger/core"}}}
	if got := r.Principal().Toolsets; len(got) != 2 || got[1] != "debugger/core" {
		t.Errorf("the principal has %q", got)
	}
	store, err := keys.OpenFile(t.TempDir(), slog.New(slog.DiscardHandler), time.Now, "aoc:read")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	for _, tt := range []struct {
		sets []string
		ok   bool
	}{{[]string{"aoc", "debugger/time-travel"}, true}, {[]string{"Aoc"}, false}, {[]string{"a/b/c"}, false}, {make([]string, 101), false}} {
		made, _, err := store.Create(t.Context(), keys.Live, keys.Settings{Toolsets: tt.sets})
		if (err == nil) != tt.ok {
			t.Errorf("%.3q: %v", tt.sets, err)
		}
		if err == nil && !slices.Equal(made.Toolsets, tt.sets) {
			t.Errorf("stored %q, want %q", made.Toolsets, tt.sets)
		}
	}
}
