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
// all the same; one that can has synced every change. Redis knows WAITAOF from 7.2 on,
// and every Valkey does.
func TestServersThatSync(t *testing.T) {
	for _, tt := range []struct {
		program, appendOnly, fsync string
	}{
		{"redis-server", "no", "everysec"},
		{"redis-server", "yes", "everysec"},
		{"valkey-server", "no", "everysec"},
		{"valkey-server", "yes", "everysec"},
		{"valkey-server", "yes", "always"},
		{"valkey-server", "yes", "no"}, // it never confirms
	} {
		t.Run(tt.program+" with appendonly "+tt.appendOnly+" and appendfsync "+tt.fsync, func(t *testing.T) {
			server := valkeytest.StartProgram(t, tt.program, "--appendonly", tt.appendOnly, "--appendfsync", tt.fsync)
			client := valkeytest.Client(t, "redis://"+server.Addr)
			_, err := client.Do(t.Context(), "WAITAOF", 0, 0, 1).Result()
			if tt.program == "valkey-server" && err != nil {
				t.Fatalf("WAITAOF: %v", err)
			}
			testSyncing(t, server, client, tt.appendOnly == "yes" && tt.fsync != "no" && err == nil)
		})
	}
}

// testSyncing checks what the trail says of a server that syncs or does not, and that
// the records are there after the server was killed, if it does.
func testSyncing(t *testing.T, server *valkeytest.Server, client *redis.Client, syncs bool) {
	if got := CheckValkey(t.Context(), client, ""); (got == nil) != syncs {
		t.Errorf("CheckValkey: %v, want that it syncs: %v", got, syncs)
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
	stream := streamPrefix + l.chain.id
	written := client.XLen(t.Context(), stream).Val()
	if syncs {
		server.Stop()
		server.Run()
		if got := client.XLen(t.Context(), stream).Val(); got != written || got < 4 { // a header and the records
			t.Errorf("%d lines after the server was killed, want %d", got, written)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if warned := strings.Count(logged.String(), "as durable as"); (warned == 0) != syncs || warned > 1 {
		t.Errorf("the log says %q, want that it syncs: %v", &logged, syncs)
	}
}
