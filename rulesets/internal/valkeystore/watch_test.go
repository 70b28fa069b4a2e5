package valkeystore_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// ears hear what a watch tells.
type ears chan ruleset.Change

// watch watches until the test ends.
func watch(t *testing.T, s ruleset.Store) ears {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	heard, done := make(ears, 1000), make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Watch(ctx, func(c ruleset.Change) { heard <- c }); err != nil {
			t.Errorf("Watch: %v", err)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	if c := heard.until(t, func() {}); c.Kind != ruleset.Began {
		t.Errorf("heard %v before the watch has begun", c)
	}
	return heard
}

// until does something again and again until a change is heard.
func (e ears) until(t *testing.T, do func()) ruleset.Change {
	t.Helper()
	deadline := time.After(15 * time.Second)
	for {
		do()
		select {
		case c := <-e:
			return c
		case <-time.After(100 * time.Millisecond):
		case <-deadline:
			t.Fatal("nothing was heard")
		}
	}
}

var serial atomic.Int64

func create(t *testing.T, s ruleset.Store) {
	t.Helper()
	if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: ruleset.Name(fmt.Sprintf("new_%d", serial.Add(1)))}); err != nil {
		t.Error(err)
	}
}

func TestWatchTellsOfAnOutage(t *testing.T) {
	server := valkeytest.Start(t)
	heard := watch(t, open(t, "valkey://"+server.Addr, atNoon))
	other := open(t, "valkey://"+server.Addr, atNoon)
	heard.until(t, func() { create(t, other) })
	server.Stop()
	server.Run()
	for heard.until(t, func() {}).Kind != ruleset.Unknown { // changes from before may come late
	}
}

func TestWatchHearsOtherPrograms(t *testing.T) {
	server := valkeytest.Start(t, "--notify-keyspace-events", "Kghx")
	heard := watch(t, open(t, "valkey://"+server.Addr, atNoon))
	client := plain(t, server.Addr)
	want := ruleset.Change{Kind: ruleset.Updated, Name: "theirs"}
	if c := heard.until(t, func() { write(t, client, "theirs", noon) }); c != want {
		t.Errorf("heard %v, want %v", c, want)
	}
	written := want
	want.Kind = ruleset.Deleted
	client.Del(t.Context(), "ruleset:theirs")
	c := written
	for c == written { // it was written several times
		c = heard.until(t, func() {})
	}
	if c != want {
		t.Errorf("heard %v, want %v", c, want)
	}
}
