package servecmd

import (
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/keys"
)

func TestDeparted(t *testing.T) {
	now := time.Date(2026, 2, 27, 12, 0, 0, 0, time.UTC)
	records := []keys.Record{
		{ID: "key_works"},
		{ID: "key_revoked", Revoked: now.Add(-time.Second)},
		{ID: "key_expired", Settings: keys.Settings{Expires: now}},
		{ID: "key_expires", Settings: keys.Settings{Expires: now.Add(time.Second)}},
		{ID: "key_absent", Revoked: now.Add(-time.Second)},
	}
	guests := []string{"key_works", "key_revoked", "key_expired", "key_expires", "key_never", "oidc:somebody", "local"}
	want := []string{"key_revoked", "key_expired", "key_never"}
	if got := departed(guests, records, now); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
