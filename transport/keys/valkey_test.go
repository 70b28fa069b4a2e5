package keys_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

func openValkey(t *testing.T, url string, now func() time.Time) *keys.ValkeyStore {
	t.Helper()
	return keys.OpenValkey(valkeytest.Client(t, url), "", quiet, now, all...)
}

func TestContractOnAFake(t *testing.T) {
	t.Parallel() // it waits
	contract(t, func(t *testing.T) opener {
		url := "redis://" + miniredis.RunT(t).Addr()
		return func(now func() time.Time) keys.Store { return openValkey(t, url, now) }
	})
}

func TestContractOnAServer(t *testing.T) {
	t.Parallel() // it waits
	server, db := valkeytest.Start(t), 0
	contract(t, func(t *testing.T) opener {
		url := fmt.Sprintf("redis://%s/%d", server.Addr, db)
		db++ // a new, empty one
		return func(now func() time.Time) keys.Store { return openValkey(t, url, now) }
	})
}

func TestContractOnACluster(t *testing.T) {
	t.Parallel() // it waits
	server := valkeytest.StartCluster(t)
	contract(t, func(t *testing.T) opener {
		if err := server.Cluster(t).FlushAll(t.Context()).Err(); err != nil {
			t.Fatal(err)
		}
		return func(now func() time.Time) keys.Store {
			return keys.OpenValkey(server.Cluster(t), "", quiet, now, all...)
		}
	})
}

// TestServerAway: while it is unknown whether a key was revoked it opens
// nothing, and that is not the key's fault; afterwards it works again.
func TestServerAway(t *testing.T) {
	t.Parallel() // it waits
	fake := miniredis.RunT(t)
	s := openValkey(t, "redis://"+fake.Addr(), atNoon)
	r, token := create(t, s, keys.Settings{})
	check(t, s, token, noon, nil)
	fake.SetError("LOADING the server is busy")
	time.Sleep(keys.MaxAge) // the promise is about real time
	for name, failing := range map[string]func() error{
		"Find":           func() error { _, err := s.Find(t.Context(), token); return err },
		"Find a new one": func() error { _, err := s.Find(t.Context(), keys.NewToken(keys.Live)); return err },
		"Get":            func() error { _, err := s.Get(t.Context(), r.ID); return err },
		"List":           func() error { _, err := s.List(t.Context()); return err },
		"Create":         func() error { _, _, err := s.Create(t.Context(), keys.Live, keys.Settings{}); return err },
		"Rotate":         func() error { _, _, err := s.Rotate(t.Context(), r.ID, 0); return err },
		"Revoke":         func() error { _, err := s.Revoke(t.Context(), r.ID); return err },
	} {
		if err := failing(); !errors.Is(err, keys.ErrUnavailable) || errors.Is(err, keys.ErrUnknown) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
	}
	fake.SetError("")
	check(t, s, token, noon, nil)
}

// TestLostNotices: without the channel, and with a watch that believes all is
// well, a revoked key stops working all the same.
func TestLostNotices(t *testing.T) {
	t.Parallel() // it waits
	fake := miniredis.RunT(t)
	s := openValkey(t, "redis://"+fake.Addr(), atNoon)
	r, token := create(t, s, keys.Settings{})
	check(t, s, token, noon, nil)
	record := fake.HGet("triptych:keys:ring", r.ID)
	fake.HSet("triptych:keys:ring", r.ID, record[:len(record)-1]+`,"revoked":"2026-03-01T12:00:00Z"}`, "version", "another")
	time.Sleep(keys.MaxAge) // the promise is about real time
	check(t, s, token, noon, keys.ErrRevoked)
	fake.FlushAll()
	time.Sleep(keys.MaxAge)
	check(t, s, token, noon, keys.ErrUnavailable) // a store that has lost all keys says nothing of this one
}

// TestLostBeforeTheFirstRefresh: a process that has read one key of a store, and not yet caught
// up with its version, notices the loss of all keys, too: at once, and after the next refresh.
func TestLostBeforeTheFirstRefresh(t *testing.T) {
	t.Parallel() // it waits
	fake := miniredis.RunT(t)
	one, two := openValkey(t, "redis://"+fake.Addr(), atNoon), openValkey(t, "redis://"+fake.Addr(), atNoon)
	check(t, two, keys.NewToken(keys.Live), noon, keys.ErrUnknown) // it is new, and empty
	_, token := create(t, one, keys.Settings{})
	check(t, two, token, noon, nil)
	fake.FlushAll()
	check(t, two, token, noon, keys.ErrUnavailable)
	time.Sleep(keys.MaxAge) // the promise is about real time
	check(t, two, token, noon, keys.ErrUnavailable)
}

// TestBrokenRecords: what is not valid opens nothing and does not shut the
// others out.
func TestBrokenRecords(t *testing.T) {
	fake := miniredis.RunT(t)
	s := openValkey(t, "redis://"+fake.Addr(), atNoon)
	good, works := create(t, s, keys.Settings{})
	bad, token := create(t, s, keys.Settings{})
	text := fake.HGet("triptych:keys:ring", bad.ID)
	for name, broken := range map[string]string{
		"no JSON":        text[:len(text)-1],
		"a typing error": text[:len(text)-1] + `,"revokd":"2026-03-01T12:00:00Z"}`,
		"another's id":   fake.HGet("triptych:keys:ring", good.ID),
		"empty":          "{}",
	} {
		fake.HSet("triptych:keys:ring", bad.ID, broken, "version", name)
		reader := openValkey(t, "redis://"+fake.Addr(), atNoon)
		check(t, reader, works, noon, nil)
		check(t, reader, token, noon, keys.ErrUnknown)
		if _, err := reader.Revoke(t.Context(), bad.ID); err == nil {
			t.Errorf("%s: was changed", name)
		}
	}
}

// TestTwoRecordsWithOneToken: the younger one, which must be a copy,
// opens nothing.
func TestTwoRecordsWithOneToken(t *testing.T) {
	fake := miniredis.RunT(t)
	c := &clock{now: noon}
	s := openValkey(t, "redis://"+fake.Addr(), c.Now)
	older, token := create(t, s, keys.Settings{})
	c.Add(time.Hour)
	younger, _ := create(t, s, keys.Settings{})
	r, err := s.Get(t.Context(), younger.ID)
	if err != nil {
		t.Fatal(err)
	}
	r.Hash = older.Hash
	fake.HSet("triptych:keys:ring", r.ID, encoded(t, r), "version", "copied")
	if got, err := openValkey(t, "redis://"+fake.Addr(), atNoon).Find(t.Context(), token); err != nil || got.ID != older.ID {
		t.Errorf("opens %s, %v, want %s", got.ID, err, older.ID)
	}
}

// TestWatchOutlivesTheServer: notices are heard again after the server was
// away.
func TestWatchOutlivesTheServer(t *testing.T) {
	t.Parallel() // it waits
	server := valkeytest.Start(t)
	url := "redis://" + server.Addr
	one, two := openValkey(t, url, atNoon), openValkey(t, url, atNoon)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- two.Watch(ctx) }()
	_, token := create(t, one, keys.Settings{})
	check(t, two, token, noon, nil)
	server.Stop()
	time.Sleep(keys.MaxAge)
	check(t, two, token, noon, keys.ErrUnavailable)
	server.Run() // empty, for it kept nothing
	check(t, two, token, noon, keys.ErrUnavailable)
	_, token = create(t, one, keys.Settings{})
	check(t, two, token, noon, nil)
	stop()
	if err := <-done; err != nil {
		t.Errorf("Watch: %v", err)
	}
}
