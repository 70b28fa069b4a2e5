package keys_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// In every dimension a key is within itself and within one without limits; what goes beyond
// it in one dimension is not within it.
func TestWithin(t *testing.T) {
	end := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	of := func(texts ...string) (all []netip.Prefix) {
		for _, text := range texts {
			all = append(all, netip.MustParsePrefix(text))
		}
		return all
	}
	own := keys.Settings{
		Scopes: []host.Scope{"rulesets:read", "server:admin"}, Toolsets: []string{"rulesets", "debugger/look"},
		Plan: quota.Developer, Expires: end, Allow: of("10.0.0.0/8", "2001:db8::/32"),
	}
	change := func(edit func(*keys.Settings)) keys.Settings {
		s := own
		edit(&s)
		return s
	}
	for name, tc := range map[string]struct {
		s    keys.Settings
		want string // part of the error, "" for none
	}{
		"itself":              {own, ""},
		"fewer scopes":        {change(func(s *keys.Settings) { s.Scopes = []host.Scope{} }), ""},
		"another scope":       {change(func(s *keys.Settings) { s.Scopes = []host.Scope{"rulesets:write"} }), "rulesets:write"},
		"all scopes":          {change(func(s *keys.Settings) { s.Scopes = nil }), "all scopes"},
		"part of a toolset":   {change(func(s *keys.Settings) { s.Toolsets = []string{"rulesets/read"} }), ""},
		"another toolset":     {change(func(s *keys.Settings) { s.Toolsets = []string{"debugger"} }), "debugger"},
		"all toolsets":        {change(func(s *keys.Settings) { s.Toolsets = nil }), "all toolsets"},
		"a smaller plan":      {change(func(s *keys.Settings) { s.Plan = quota.Free }), ""},
		"a larger plan":       {change(func(s *keys.Settings) { s.Plan = quota.Team }), "100000 requests a month"},
		"no limits":           {change(func(s *keys.Settings) { s.Plan = quota.Enterprise }), "unlimited"},
		"limits of its own":   {change(func(s *keys.Settings) { s.Plan, s.Own = quota.Enterprise, quota.Limits{Month: 10_000, Minute: 60} }), ""},
		"none in a minute":    {change(func(s *keys.Settings) { s.Plan, s.Own = quota.Enterprise, quota.Limits{Month: 1} }), "a minute"},
		"a shorter life":      {change(func(s *keys.Settings) { s.Expires = end.Add(-1) }), ""},
		"a longer life":       {change(func(s *keys.Settings) { s.Expires = end.Add(1) }), "longer"},
		"no end":              {change(func(s *keys.Settings) { s.Expires = time.Time{} }), "longer"},
		"a part of a network": {change(func(s *keys.Settings) { s.Allow = of("10.1.0.0/16", "2001:db8:1::/48") }), ""},
		"another network":     {change(func(s *keys.Settings) { s.Allow = of("10.0.0.0/8", "192.0.2.0/24") }), "192.0.2.0/24"},
		"a larger network":    {change(func(s *keys.Settings) { s.Allow = of("10.0.0.0/7") }), "10.0.0.0/7"},
		"all addresses":       {change(func(s *keys.Settings) { s.Allow = nil }), "all addresses"},
	} {
		err := tc.s.Within(&own)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if err := tc.s.Within(&keys.Settings{Plan: quota.Enterprise}); err != nil {
			t.Errorf("%s, within a key without limits: %v", name, err)
		}
	}
}
