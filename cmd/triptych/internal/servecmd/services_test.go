package servecmd

import (
	"bytes"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// TestStateKey: servers on one store have one key, those on another have
// another, and a server that is alone has none.
func TestStateKey(t *testing.T) {
	var got [3][]byte
	stores := []*miniredis.Miniredis{miniredis.RunT(t), miniredis.RunT(t)}
	for i, store := range []*miniredis.Miniredis{stores[0], stores[0], stores[1]} {
		client := redis.NewClient(&redis.Options{Addr: store.Addr()})
		defer func() { _ = client.Close() }() // every answer has come
		var err error
		if got[i], err = stateKey(t.Context(), client, stateKeyName); err != nil || len(got[i]) < 32 {
			t.Fatalf("key %q, %v", got[i], err)
		}
	}
	if !bytes.Equal(got[0], got[1]) || bytes.Equal(got[0], got[2]) {
		t.Errorf("keys %q", got)
	}
	if alone, err := stateKey(t.Context(), nil, stateKeyName); alone != nil || err != nil {
		t.Errorf("alone: %q, %v", alone, err)
	}
}
