//go:build unix

package valkeyconn

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A server that accepts connections and says nothing fails the callers that wait
// within two seconds, and all others at once until it answers.
func TestHungServer(t *testing.T) {
	server := valkeytest.Start(t)
	client, _, err := clientFor("valkey://"+server.Addr, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }() // nothing to lose
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	resume := server.Pause()
	began := time.Now()
	err = client.Get(t.Context(), "key").Err()
	if took := time.Since(began); err == nil || took > 20*time.Second {
		t.Errorf("%v after %v, want an error, on an idle machine within two seconds", err, took)
	}
	if err := client.Get(t.Context(), "key").Err(); !errors.Is(err, ErrHung) {
		t.Errorf("%v, want ErrHung", err)
	}
	pipe := client.Pipeline()
	one := pipe.Get(t.Context(), "key")
	if _, err := pipe.Exec(t.Context()); !errors.Is(err, ErrHung) || !errors.Is(one.Err(), ErrHung) {
		t.Errorf("a pipeline ends with %v and %v, want ErrHung", err, one.Err())
	}
	resume()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err := client.Ping(t.Context()).Err(); err == nil {
			return
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
