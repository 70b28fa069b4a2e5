package valkeystore

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// What a server of an earlier version writes after the upgrade is found by a watch.
func TestFilesOfOlderServersBeside(t *testing.T) {
	server := valkeytest.Start(t)
	s, err := Open(t.Context(), "valkey://"+server.Addr, "team:", slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // its server ends anyhow
	for _, name := range []ruleset.Name{"pdf", "other"} {
		if _, err := s.Create(t.Context(), ruleset.Draft{Name: name, Files: []ruleset.FileChange{{Path: "new.txt", Data: []byte("new")}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.client.HSet(t.Context(), s.filesKey("pdf"), "late.py", "late").Err(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time there is nothing left
		if err := s.reviseLeftFiles(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	late, fresh := ruleset.FileOf("late.py", []byte("late")), ruleset.FileOf("new.txt", []byte("new"))
	for name, want := range map[ruleset.Name]ruleset.Ruleset{"pdf": {Rev: 2, Files: []ruleset.File{late, fresh}}, "other": {Rev: 1, Files: []ruleset.File{fresh}}} {
		r, err := s.Get(t.Context(), name)
		if diff := cmp.Diff(want.Files, r.Files); diff != "" || r.Rev != want.Rev || err != nil {
			t.Errorf("%s: revision %d, %v, -want +got:\n%s", name, r.Rev, err, diff)
		}
	}
}

// A user who may not write does not scan the keys, which the upgrade could not change.
func TestReaderDoesNotScan(t *testing.T) {
	server := valkeytest.Start(t, "--user", "reader", "on", ">secret", "~*", "&*", "+@all", "-@write")
	admin := valkeytest.Client(t, "redis://"+server.Addr)
	if err := admin.HSet(t.Context(), "ruleset:a", "description", "d", "tags", "[]", "markdown", "m").Err(); err != nil {
		t.Fatal(err)
	}
	if err := admin.ConfigResetStat(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), "valkey://reader:secret@"+server.Addr, "", slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // its server ends anyhow
	if r, err := s.Get(t.Context(), "a"); err != nil || r.Markdown != "m" {
		t.Errorf("read %+v, %v", r, err)
	}
	stats, err := admin.Info(t.Context(), "commandstats").Result()
	if err != nil || strings.Contains(stats, "cmdstat_scan:") {
		t.Errorf("%v, it has scanned:\n%s", err, stats)
	}
}
