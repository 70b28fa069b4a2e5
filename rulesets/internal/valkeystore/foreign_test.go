package valkeystore_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

var noon = time.Date(2025, 10, 29, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

// plain is a client that knows nothing of the store.
func plain(t *testing.T, addr string) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: addr, Protocol: 2})
	t.Cleanup(func() { _ = client.Close() }) // its server ends anyhow
	return client
}

// write stores a hash as the schema documents it.
func write(t *testing.T, client *redis.Client, name string, created time.Time) {
	t.Helper()
	at := created.Format("2006-01-02T15:04:05Z")
	err := client.HSet(t.Context(), "ruleset:"+name, "description", "d", "tags", "[]", "markdown", "m", "created_at", at, "last_modified", at).Err()
	if err != nil {
		t.Fatal(err)
	}
}

func listed(t *testing.T, s ruleset.Store, page ruleset.Page) []string {
	t.Helper()
	metas, _, err := s.List(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, m := range metas {
		got = append(got, string(m.Name))
	}
	return got
}

func TestReadingEntersTheIndex(t *testing.T) {
	addr := miniredis.RunT(t).Addr()
	client, s := plain(t, addr), open(t, "valkey://"+addr, atNoon)
	if got := listed(t, s, ruleset.Page{}); len(got) != 0 {
		t.Fatalf("an empty database lists %v", got)
	}
	write(t, client, "late", noon)
	if _, err := s.Get(t.Context(), "late"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"late"}, listed(t, s, ruleset.Page{})); diff != "" {
		t.Errorf("list, whose scan is not due (-want +got):\n%s", diff)
	}
}

func TestForeignHashIsChangedAndDeletedByUs(t *testing.T) {
	addr := miniredis.RunT(t).Addr()
	client, s := plain(t, addr), open(t, "valkey://"+addr, atNoon)
	write(t, client, "theirs", noon.Add(-time.Hour))
	text := "ü 日本 🎉"
	if _, err := ruleset.Update(t.Context(), s, "theirs", ruleset.Patch{Description: &text}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"description": text, "tags": "[]", "markdown": "m", "created_at": "2025-10-29T11:00:00Z", "last_modified": "2025-10-29T12:00:00Z",
	}
	if diff := cmp.Diff(want, client.HGetAll(t.Context(), "ruleset:theirs").Val()); diff != "" {
		t.Errorf("hash (-want +got):\n%s", diff)
	}
	if err := ruleset.Delete(t.Context(), s, "theirs", ruleset.Removal{}); err != nil {
		t.Fatal(err)
	}
	if n := client.Exists(t.Context(), "ruleset:theirs").Val(); n != 0 {
		t.Error("the hash is still there")
	}
}

// What other programs do to a hash is recorded when it is seen.
func TestForeignChangesAreRevisions(t *testing.T) {
	for where, addr := range map[string]string{"fake": miniredis.RunT(t).Addr(), "server": valkeytest.Start(t).Addr} {
		t.Run(where, func(t *testing.T) {
			client, s := plain(t, addr), open(t, "valkey://"+addr, atNoon)
			write(t, client, "theirs", noon.Add(-time.Hour))
			if r, err := s.Get(t.Context(), "theirs"); err != nil || r.Rev != 1 {
				t.Fatalf("first seen at revision %d, %v", r.Rev, err)
			}
			change := func(fields ...any) {
				t.Helper()
				if err := client.HSet(t.Context(), "ruleset:theirs", fields...).Err(); err != nil {
					t.Fatal(err)
				}
			}
			change("markdown", "second", "tags", `["x", "y"]`)
			if r, err := s.Get(t.Context(), "theirs"); err != nil || r.Rev != 2 {
				t.Errorf("after a change at revision %d, %v", r.Rev, err)
			}
			change("markdown", "third")
			text := "ours"
			if _, err := ruleset.Update(t.Context(), s, "theirs", ruleset.Patch{Markdown: &text, IfRev: 2}); err == nil {
				t.Error("a change that nobody had seen was overwritten")
			}
			if r, err := ruleset.Update(t.Context(), s, "theirs", ruleset.Patch{Markdown: &text, IfRev: 3}); err != nil || r.Rev != 4 {
				t.Errorf("our update is revision %d, %v", r.Rev, err)
			}
			client.Del(t.Context(), "ruleset:theirs")
			all, err := s.History(t.Context(), "theirs")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range all {
				got = append(got, fmt.Sprintf("%d %s%s %t", r.Number, r.By.Author, r.Content.Markdown, r.Deleted))
			}
			want := []string{
				"5 written by another program true", "4 ours false", "3 written by another programthird false",
				"2 written by another programsecond false", "1 m false",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			keys := client.Keys(t.Context(), "ruleset:*").Val()
			if len(keys) != 0 {
				t.Errorf("other programs find %v", keys)
			}
		})
	}
}

// TestPagesMendTheIndex deletes and re-dates hashes behind the store's back.
func TestPagesMendTheIndex(t *testing.T) {
	addr := miniredis.RunT(t).Addr()
	client, s := plain(t, addr), open(t, "valkey://"+addr, atNoon)
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		write(t, client, name, noon.Add(time.Duration(i)*time.Second))
	}
	if diff := cmp.Diff([]string{"a", "b"}, listed(t, s, ruleset.Page{Limit: 2})); diff != "" {
		t.Fatalf("page (-want +got):\n%s", diff)
	}
	write(t, client, "b", noon.Add(time.Hour))
	if diff := cmp.Diff([]string{"a", "c"}, listed(t, s, ruleset.Page{Limit: 2})); diff != "" {
		t.Errorf("page after a move (-want +got):\n%s", diff)
	}
	client.Del(t.Context(), "ruleset:a")
	if diff := cmp.Diff([]string{"c", "d"}, listed(t, s, ruleset.Page{Limit: 2})); diff != "" {
		t.Errorf("page after a deletion (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"c", "d", "e", "b"}, client.ZRange(t.Context(), "rulesets:index", 0, -1).Val()); diff != "" {
		t.Errorf("index (-want +got):\n%s", diff)
	}
}

// TestKeysOfOthersAreLeftAlone meets a ruleset's name on a key that is no hash.
func TestKeysOfOthersAreLeftAlone(t *testing.T) {
	for where, addr := range map[string]string{"fake": miniredis.RunT(t).Addr(), "server": valkeytest.Start(t).Addr} {
		client, s := plain(t, addr), open(t, "valkey://"+addr, atNoon)
		client.RPush(t.Context(), "ruleset:queue", "job")
		client.ZAdd(t.Context(), "rulesets:index", redis.Z{Score: 1, Member: "queue"})
		text := "x"
		if _, err := ruleset.Create(t.Context(), s, ruleset.Draft{Name: "queue"}); err == nil {
			t.Errorf("%s: created over a list", where)
		}
		if _, err := ruleset.Update(t.Context(), s, "queue", ruleset.Patch{Markdown: &text}); !cmp.Equal(fmt.Sprint(err), "ruleset 'queue' not found") {
			t.Errorf("%s: Update: %v", where, err)
		}
		if err := ruleset.Delete(t.Context(), s, "queue", ruleset.Removal{}); !cmp.Equal(fmt.Sprint(err), "ruleset 'queue' not found") {
			t.Errorf("%s: Delete: %v", where, err)
		}
		if got := listed(t, s, ruleset.Page{}); len(got) != 0 {
			t.Errorf("%s: lists %v", where, got)
		}
		if got := client.LRange(t.Context(), "ruleset:queue", 0, -1).Val(); !cmp.Equal(got, []string{"job"}) {
			t.Errorf("%s: the list is now %v", where, got)
		}
	}
}

func TestOddHashes(t *testing.T) {
	addr := miniredis.RunT(t).Addr()
	var log bytes.Buffer
	s := openWith(t, "valkey://"+addr, slog.New(slog.NewTextHandler(&log, nil)))
	if err := plain(t, addr).HSet(t.Context(), "ruleset:odd", "markdown", "m", "tags", "go, style", "created_at", "yesterday").Err(); err != nil {
		t.Fatal(err)
	}
	epoch := time.Unix(0, 0).UTC()
	want := ruleset.Ruleset{Meta: ruleset.Meta{Name: "odd", Tags: []string{}, CreatedAt: epoch, LastModified: epoch}, Markdown: "m", Rev: 1}
	for range 3 {
		got, err := s.Get(t.Context(), "odd")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("odd hash (-want +got):\n%s", diff)
		}
	}
	if n := strings.Count(log.String(), "tags are no JSON array"); n != 1 {
		t.Errorf("reported %d times, want once:\n%s", n, &log)
	}
}
