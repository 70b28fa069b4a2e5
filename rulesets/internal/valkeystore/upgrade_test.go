package valkeystore_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Earlier versions kept the bytes of files by their paths, and no revision listed them: a
// start makes a revision of them. What an old server writes beside new ones is not deleted.
func TestFilesOfEarlierVersions(t *testing.T) {
	server := valkeytest.Start(t)
	for db, prefix := range []string{"", "ours:"} {
		client := redis.NewClient(&redis.Options{Addr: server.Addr, DB: db})
		defer func() { _ = client.Close() }()
		key := prefix + "rulesets:files:{ruleset:pdf}"
		url := "redis://" + server.Addr + "/" + string(rune('0'+db))
		open := func() *valkeystore.Store {
			s, err := valkeystore.Open(t.Context(), url, prefix, quiet, time.Now)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		}
		for _, err := range []error{
			client.HSet(t.Context(), "ruleset:pdf", "description", "d", "tags", "[]", "markdown", "text", "created_at", "2026-01-01T00:00:00Z", "last_modified", "2026-01-01T00:00:00Z").Err(),
			client.HSet(t.Context(), key, "scripts/a.py", "one", "b.txt", "").Err(),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		want := []ruleset.File{ruleset.FileOf("b.txt", nil), ruleset.FileOf("scripts/a.py", []byte("one"))}
		for range 2 { // the second start finds nothing to do
			s := open()
			r, err := s.Get(t.Context(), "pdf")
			if err != nil || r.Rev != 2 || r.Markdown != "text" {
				t.Errorf("revision %d, %q, %v; want 2, the first with the text alone", r.Rev, r.Markdown, err)
			}
			if diff := cmp.Diff(want, r.Files); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if data, err := s.ReadFile(t.Context(), "pdf", "scripts/a.py"); err != nil || string(data) != "one" {
				t.Errorf("read %q, %v", data, err)
			}
		}
		s := open()
		if err := client.HSet(t.Context(), key, "late.py", "two").Err(); err != nil {
			t.Fatal(err)
		}
		if pruned, err := s.Prune(t.Context(), ruleset.Retention{Revisions: 1}, false); err != nil || pruned.Revisions != 1 {
			t.Errorf("pruned %+v, %v; want one revision", pruned, err)
		}
		fields, err := client.HKeys(t.Context(), key).Result()
		if err != nil || len(fields) != 3 {
			t.Errorf("the fields are %v, %v; want those of two files and late.py", fields, err)
		}
	}
}
