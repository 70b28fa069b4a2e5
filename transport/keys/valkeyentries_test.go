package keys_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/transport/keys"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// onStores runs a test on a fake and on a server.
func onStores(t *testing.T, test func(t *testing.T, url string)) {
	t.Run("fake", func(t *testing.T) { test(t, "redis://"+miniredis.RunT(t).Addr()) })
	t.Run("server", func(t *testing.T) { test(t, "redis://"+valkeytest.Start(t).Addr) })
}

// earlier leaves of a store what a version before entries of single tokens has written: the
// hash of records and their version.
func earlier(t *testing.T, url string) {
	t.Helper()
	client := valkeytest.Client(t, url)
	for _, key := range client.Keys(t.Context(), "triptych:keys:*{*").Val() {
		if err := client.Del(t.Context(), key).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// ids returns the IDs of records.
func ids(records []keys.Record) (all []string) {
	for i := range records {
		all = append(all, records[i].ID)
	}
	return all
}

// Keys that an earlier version has written open, in their order, and are changed like
// others; a server of that version may go on beside.
func TestKeysOfEarlierVersions(t *testing.T) {
	sample.Alone(t)
	t.Parallel() // it waits
	onStores(t, func(t *testing.T, url string) {
		c := &clock{now: noon}
		old := openValkey(t, url, c.Now)
		var tokens []keys.Token
		var want []string
		for range 1200 { // more than a page
			r, token := create(t, old, keys.Settings{})
			c.Add(time.Second)
			tokens, want = append(tokens, token), append(want, r.ID)
		}
		if _, err := old.Revoke(t.Context(), want[7]); err != nil {
			t.Fatal(err)
		}
		earlier(t, url)
		s := openValkey(t, url, c.Now)
		check(t, s, tokens[1100], noon, nil)
		check(t, s, tokens[7], noon, keys.ErrRevoked)
		if all, err := s.List(t.Context()); err != nil || !slices.Equal(ids(all), want) {
			t.Errorf("%d keys are listed, %v, want %d in their order", len(all), err, len(want))
		}
		earlier(t, url)
		r, token := create(t, openValkey(t, url, c.Now), keys.Settings{}) // also without a look-up before
		check(t, s, token, noon, nil)
		// The earlier version changes the hash and its version.
		client := valkeytest.Client(t, url)
		r.Revoked = noon
		if err := client.HSet(t.Context(), "triptych:keys:ring", r.ID, encoded(t, r), "version", "of the other").Err(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(keys.MaxAge) // the promise is about real time
		check(t, s, token, noon, keys.ErrRevoked)
		check(t, s, tokens[3], noon, nil)
	})
}

// Pages of a list have all keys, by age.
func TestPages(t *testing.T) {
	stores := map[string]func(t *testing.T, now func() time.Time) keys.Store{
		"file": func(t *testing.T, now func() time.Time) keys.Store { return openFile(t, t.TempDir(), now) },
		"valkey": func(t *testing.T, now func() time.Time) keys.Store {
			return openValkey(t, "redis://"+valkeytest.Start(t).Addr, now)
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			c := &clock{now: noon}
			s := open(t, c.Now)
			var want, got []string
			for range 7 {
				r, _ := create(t, s, keys.Settings{})
				c.Add(time.Second)
				want = append(want, r.ID)
			}
			for after := ""; ; after = got[len(got)-1] {
				page, err := s.Page(t.Context(), after, 3)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, ids(page)...)
				if len(page) < 3 {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("pages have %v, want %v", got, want)
			}
			if _, err := s.Page(t.Context(), "key_0000000000", 3); err == nil {
				t.Error("there is a page after a key that is not there")
			}
			some, err := s.GetAll(t.Context(), []string{want[2], "key_0000000000", want[5]})
			if found := ids(some); err != nil || len(found) != 2 || !slices.Contains(found, want[2]) || !slices.Contains(found, want[5]) {
				t.Errorf("%v, %v, want two of three", found, err)
			}
		})
	}
}

// A change of one key leaves the others in memory: a look-up asks for the version at most.
func TestChangesCostOthersNothing(t *testing.T) {
	t.Parallel() // it waits
	fake := miniredis.RunT(t)
	s, other := openValkey(t, "redis://"+fake.Addr(), atNoon), openValkey(t, "redis://"+fake.Addr(), atNoon)
	var tokens []keys.Token
	for range 50 {
		_, token := create(t, other, keys.Settings{})
		tokens = append(tokens, token)
	}
	changed, _ := create(t, other, keys.Settings{})
	for _, token := range tokens {
		check(t, s, token, noon, nil)
	}
	if _, err := other.Revoke(t.Context(), changed.ID); err != nil {
		t.Fatal(err)
	}
	time.Sleep(keys.MaxAge)
	before := fake.CommandCount()
	began := time.Now()
	for _, token := range tokens {
		check(t, s, token, noon, nil)
	}
	// A script is one command, and each command in it another one.
	if sent, most := fake.CommandCount()-before, 10*(1+int(time.Since(began)/keys.MaxAge)); sent > most {
		t.Errorf("%d commands for %d look-ups after a change of another key, want at most %d", sent, len(tokens), most)
	}
}

// Installations with other prefixes have keys of their own.
func TestPrefixesHaveKeysOfTheirOwn(t *testing.T) {
	onStores(t, func(t *testing.T, url string) {
		one := keys.OpenValkey(valkeytest.Client(t, url), "a:", quiet, atNoon, all...)
		two := keys.OpenValkey(valkeytest.Client(t, url), "b:", quiet, atNoon, all...)
		_, token := create(t, one, keys.Settings{})
		check(t, one, token, noon, nil)
		check(t, two, token, noon, keys.ErrUnknown)
		if _, _, err := two.CreateFirst(t.Context(), keys.Live, keys.Settings{}); err != nil {
			t.Errorf("a first key of the second: %v", err)
		}
	})
}

// A revocation that the store has lost is missed by a server that started after it.
func TestRevocationsAreKnownAtStart(t *testing.T) {
	t.Parallel() // it waits
	client := valkeytest.Client(t, "redis://"+valkeytest.Start(t).Addr)
	s := keys.OpenValkey(client, "", quiet, atNoon)
	r, token := create(t, s, keys.Settings{})
	before := client.HGet(t.Context(), "triptych:keys:ring", r.ID).Val()
	if _, err := s.Revoke(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	late := keys.OpenValkey(client, "", quiet, atNoon)
	if _, err := late.Find(t.Context(), keys.NewToken(keys.Live)); !errors.Is(err, keys.ErrUnknown) {
		t.Fatal(err)
	}
	if err := client.HSet(t.Context(), "triptych:keys:ring", r.ID, before, "version", "of a replica").Err(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(keys.MaxAge)
	check(t, late, token, noon, keys.ErrRevoked)
}

// BenchmarkManyKeys measures a server with TRIPTYCH_TEST_KEYS keys, 2,000 unless that says
// otherwise: the memory of a process that finds all of them, a creation, and what a change
// costs the look-up of another key.
func BenchmarkManyKeys(b *testing.B) {
	n := 2000
	if text := os.Getenv("TRIPTYCH_TEST_KEYS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	client := valkeytest.Client(b, "redis://"+valkeytest.Start(b).Addr)
	s := keys.OpenValkey(client, "", quiet, time.Now, all...)
	first, token, err := s.Create(b.Context(), keys.Live, keys.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(first)
	if err != nil {
		b.Fatal(err)
	}
	pipe := client.Pipeline()
	for i := range n { // as an earlier version has written them
		var r keys.Record
		if err := json.Unmarshal(text, &r); err != nil {
			b.Fatal(err)
		}
		r.ID, r.Hash = fmt.Sprintf("key_%010d", i), keys.Hash{1: byte(i), 2: byte(i >> 8), 3: byte(i >> 16), 4: 1}
		one, _ := json.Marshal(r)
		pipe.HSet(b.Context(), "triptych:keys:ring", r.ID, one)
		if pipe.Len() == 1000 || i == n-1 {
			pipe.HSet(b.Context(), "triptych:keys:ring", "version", fmt.Sprint(i))
			if _, err := pipe.Exec(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	began := time.Now()
	s = keys.OpenValkey(client, "", quiet, time.Now, all...)
	if _, err := s.Find(b.Context(), token); err != nil {
		b.Fatal(err)
	}
	b.Logf("the first look-up after an earlier version takes %v", time.Since(began))
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.Logf("%d KiB of heap", m.HeapAlloc>>10)
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := s.Create(b.Context(), keys.Live, keys.Settings{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Page(b.Context(), "", 100); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if all, err := s.List(b.Context()); err != nil || len(all) < n {
				b.Fatal(len(all), err)
			}
		}
	})
}
