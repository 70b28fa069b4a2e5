package valkeystore_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// One hash whose time is in the year 10000 of UTC once kept every list from
// being answered: JSON has no such time.
func TestTimeThatNoAnswerCarries(t *testing.T) {
	addr := miniredis.RunT(t).Addr()
	client, s := plain(t, addr), open(t, "valkey://"+addr, atNoon)
	for name, at := range map[string]string{"late": "9999-12-31T23:59:59-01:00", "early": "0000-01-01T00:00:00+01:00"} {
		err := client.HSet(t.Context(), "ruleset:"+name, "description", "d", "tags", "[]", "markdown", "m", "created_at", at, "last_modified", at).Err()
		if err != nil {
			t.Fatal(err)
		}
	}
	metas, _, err := s.List(t.Context(), ruleset.Page{})
	if err != nil || len(metas) != 2 {
		t.Fatalf("lists %v, %v", metas, err)
	}
	for _, m := range metas {
		if _, err := json.Marshal(m); err != nil || !m.CreatedAt.Equal(time.Unix(0, 0)) {
			t.Errorf("%s: created at %v, %v; want the epoch", m.Name, m.CreatedAt, err)
		}
	}
}
