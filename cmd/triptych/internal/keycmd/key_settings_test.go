package keycmd

import (
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

// A key expires after a span, at a date, at a time, or never. A time that has passed, and
// what is no time, is refused.
func TestExpiry(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.FixedZone("", 3600))
	for text, want := range map[string]string{
		"90d":                       "2026-05-30T11:00:00Z",
		"36h":                       "2026-03-02T23:00:00Z",
		"2027-01-31":                "2027-01-31T00:00:00Z",
		"2027-01-31T18:00:00+02:00": "2027-01-31T16:00:00Z",
		"never":                     "0001-01-01T00:00:00Z",
	} {
		var got keys.Settings
		s := keySettings{expires: text}
		if err := s.applyExpiry(&got, now); err != nil || got.Expires.Format(time.RFC3339) != want {
			t.Errorf("%s: %v, %v, want %s", text, got.Expires, err, want)
		}
	}
	for text, want := range map[string]string{
		"2026-03-01":           "2026-03-01T00:00:00Z is over",
		"2026-03-01T11:00:00Z": "is over", // now
		"tomorrow":             `"tomorrow" is no time`,
		"2027-02-30":           `"2027-02-30" is no time`,
		"":                     `"" is no time`,
	} {
		var got keys.Settings
		s := keySettings{expires: text}
		if err := s.applyExpiry(&got, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, got.Expires, err, want)
		}
	}
}

// A key is for some networks, or for all. An address is a network of one.
func TestAllow(t *testing.T) {
	for text, want := range map[string]string{
		"all":                       "",
		"10.0.0.0/8, 2001:db8::/32": "10.0.0.0/8 2001:db8::/32",
		"192.0.2.7":                 "192.0.2.7/32",
		"10.0.0.0/8,all":            "refused",
		"10.0.0.0/33":               "refused",
		"example.com":               "refused",
	} {
		var to keys.Settings
		s := keySettings{allow: strings.Split(text, ",")}
		err := s.applyAllow(&to)
		var got []string
		for _, p := range to.Allow {
			got = append(got, p.String())
		}
		if want == "refused" {
			if err == nil {
				t.Errorf("%s: got %v, want an error", text, got)
			}
		} else if err != nil || to.Allow == nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
}
