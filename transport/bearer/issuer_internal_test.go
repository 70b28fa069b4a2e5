package bearer

import (
	"context"
	"fmt"
	"testing"
)

// A lateSet has the keys only when it is asked again.
type lateSet struct{ calls, found int }

func (s *lateSet) VerifySignature(context.Context, string) ([]byte, error) {
	if s.calls++; s.calls < s.found {
		return nil, fmt.Errorf("fetching keys %w", errTooSoon)
	}
	return []byte("payload"), nil
}

// A token that comes while another fetches the keys may miss them in the cache and
// then ask too soon.
func TestKeysCameMeanwhile(t *testing.T) {
	set := &lateSet{found: 2}
	if payload, err := verifySignature(t.Context(), set, "token"); err != nil || string(payload) != "payload" {
		t.Errorf("keys came meanwhile: %q, %v, want the payload", payload, err)
	}
	set = &lateSet{found: 9}
	if _, err := verifySignature(t.Context(), set, "token"); err == nil || set.calls != 2 {
		t.Errorf("no keys: %v after %d calls, want an error after 2", err, set.calls)
	}
}
