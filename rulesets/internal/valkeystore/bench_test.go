package valkeystore_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/internal/valkeystore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// BenchmarkStore measures a store of 10,000 rulesets, or as many as
// VALKEYSTORE_BENCH_SIZE says, on the server of VALKEYSTORE_BENCH_URL, whose
// database must be empty at first.
func BenchmarkStore(b *testing.B) {
	url := os.Getenv("VALKEYSTORE_BENCH_URL")
	if url == "" {
		b.Skip("VALKEYSTORE_BENCH_URL names no server")
	}
	size := 10_000
	if text := os.Getenv("VALKEYSTORE_BENCH_SIZE"); text != "" {
		var err error
		if size, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	fill(b, url, size)
	s, err := valkeystore.Open(b.Context(), url, "", quiet, time.Now)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }() // measured
	began := time.Now()
	_, next, err := s.List(b.Context(), ruleset.Page{Limit: size / 2}) // scans first
	if err != nil {
		b.Fatal(err)
	}
	b.Logf("first list: %v", time.Since(began))
	ctx := context.Background()
	for range 100 { // revisions
		if err := change(ctx, s, ruleset.Name(fmt.Sprintf("rule_%d", size/4))); err != nil {
			b.Fatal(err)
		}
	}
	for _, bc := range []struct {
		name string
		op   func() error
	}{
		{"get", func() error { _, err := s.Get(ctx, ruleset.Name(fmt.Sprintf("rule_%d", size/2))); return err }},
		{"first page", func() error { _, _, err := s.List(ctx, ruleset.Page{Limit: 100}); return err }},
		{"middle page", func() error { _, _, err := s.List(ctx, ruleset.Page{After: next, Limit: 100}); return err }},
		{"search", func() error { _, err := ruleset.Search(ctx, s, "*_77?"); return err }},
		{"completion", func() error { _, _, err := s.Names(ctx, "rule_7", 100); return err }},
		{"update", func() error { return change(ctx, s, ruleset.Name(fmt.Sprintf("rule_%d", size/3))) }},
		{"history", func() error { _, err := s.History(ctx, ruleset.Name(fmt.Sprintf("rule_%d", size/4))); return err }},
		{"moves of labels", func() error { _, err := s.LabelMoves(ctx, ruleset.Name(fmt.Sprintf("rule_%d", size/4))); return err }},
		{"move a label", func() error {
			_, err := ruleset.MoveLabel(ctx, s, "rule_1", ruleset.LabelMove{Label: "production", Newest: true})
			return err
		}},
	} {
		b.Run(fmt.Sprintf("%s of %d", bc.name, size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bc.op(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// change gives a ruleset another text.
func change(ctx context.Context, s *valkeystore.Store, name ruleset.Name) error {
	text := time.Now().String()
	_, err := ruleset.Update(ctx, s, name, ruleset.Patch{Markdown: &text})
	return err
}

// fill writes the documented hashes, as another program would.
func fill(b *testing.B, url string, size int) {
	b.Helper()
	o, err := redis.ParseURL("redis" + url[len("valkey"):])
	if err != nil {
		b.Fatal(err)
	}
	client := redis.NewClient(o)
	defer func() { _ = client.Close() }() // its work is done
	for from := 0; from < size; from += 10_000 {
		_, err := client.Pipelined(b.Context(), func(p redis.Pipeliner) error {
			for i := from; i < min(size, from+10_000); i++ {
				at := noon.Add(time.Duration(i/3) * time.Second).Format(time.RFC3339)
				p.HSet(b.Context(), fmt.Sprintf("ruleset:rule_%d", i),
					"description", "A rule", "tags", `["go","style"]`, "markdown", "# Rule\n\nText\n", "created_at", at, "last_modified", at)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
