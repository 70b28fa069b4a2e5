package valkeytest_test

import (
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A server that was stopped comes back at its address, with what its arguments
// had it keep.
func TestServer(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want int64 // keys that are left
	}{
		{"nothing is kept", nil, 0},
		{"all is kept", []string{"--appendonly", "yes", "--appendfsync", "always"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := valkeytest.Start(t, test.args...)
			client := redis.NewClient(&redis.Options{Addr: server.Addr, MaxRetries: -1})
			defer client.Close()
			if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
				t.Fatal(err)
			}
			server.Stop()
			if err := client.Ping(t.Context()).Err(); err == nil {
				t.Error("it answers after its end")
			}
			server.Run()
			if got, err := client.DBSize(t.Context()).Result(); got != test.want || err != nil {
				t.Errorf("%d keys, %v, want %d", got, err, test.want)
			}
		})
	}
}
