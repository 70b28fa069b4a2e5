package audit

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A server that cannot confirm a sync is told of in the log, once, and the trail works
// all the same; one that can has synced every change. Redis knows WAITAOF from 7.2 on.
func TestServersThatSync(t *testing.T) {
	for _, appendOnly := range []string{"no", "yes"} {
		server := valkeytest.Start(t, "--appendonly", appendOnly)
		client := redis.NewClient(&redis.Options{Addr: server.Addr})
		defer func() { _ = client.Close() }() // every answer has come
		_, err := client.Do(t.Context(), "WAITAOF", 0, 0, 1).Result()
		syncs := appendOnly == "yes" && err == nil
		if got := CheckValkey(t.Context(), client); (got == nil) != syncs {
			t.Errorf("appendonly %s: %v, want that it syncs: %v", appendOnly, got, syncs)
		}
		var logged bytes.Buffer
		l := NewValkey(ValkeyConfig{
			Client: client, KeyDir: filepath.Join(t.TempDir(), "audit"), Logger: slog.New(slog.NewTextHandler(&logged, nil)),
		})
		for range 3 {
			seq, err := l.Append(Record{Key: "k"})
			if err == nil {
				err = l.Commit(t.Context(), seq)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if warned := strings.Count(logged.String(), "as durable as"); (warned == 0) != syncs || warned > 1 {
			t.Errorf("appendonly %s: the log says %q", appendOnly, &logged)
		}
	}
}
