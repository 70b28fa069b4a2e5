package servecmd

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// TestStateKey: servers on one store have one key, those on another have
// another, and a server that is alone finds its own again after a restart.
func TestStateKey(t *testing.T) {
	var got [3][]byte
	stores := []*miniredis.Miniredis{miniredis.RunT(t), miniredis.RunT(t)}
	for i, store := range []*miniredis.Miniredis{stores[0], stores[0], stores[1]} {
		client := redis.NewClient(&redis.Options{Addr: store.Addr()})
		defer func() { _ = client.Close() }() // every answer has come
		var err error
		if got[i], err = stateKey(t.Context(), client, host.Env{}); err != nil || len(got[i]) < 32 {
			t.Fatalf("key %q, %v", got[i], err)
		}
	}
	if !bytes.Equal(got[0], got[1]) || bytes.Equal(got[0], got[2]) {
		t.Errorf("keys %q", got)
	}
	env := host.Env{Data: filepath.Join(t.TempDir(), "data"), Logger: slog.New(slog.DiscardHandler)}
	var alone [8][]byte
	var all sync.WaitGroup
	for i := range alone {
		all.Go(func() { alone[i], _ = stateKey(t.Context(), nil, env) }) // nil is seen below
	}
	all.Wait()
	for _, key := range alone {
		if len(key) < 32 || !bytes.Equal(key, alone[0]) {
			t.Errorf("alone: %q beside %q", key, alone[0])
		}
	}
	if err := os.WriteFile(filepath.Join(env.Data, "sessions", "secret"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if key, err := stateKey(t.Context(), nil, env); key != nil || err != nil {
		t.Errorf("a broken file: %q, %v, want sessions that end with the server", key, err)
	}
}
