package rulesets

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// updates passes on the URIs of resources that changed.
type updates chan string

func (updates) ToolsChanged()                {}
func (updates) PromptsChanged()              {}
func (updates) ResourcesChanged()            {}
func (u updates) ResourceUpdated(uri string) { u <- uri }

// A client that subscribed to a ruleset at one label hears of the moves of that label,
// and not of changes that leave the label where it is.
func TestLabelSubscription(t *testing.T) {
	store := memstore.New(time.Now)
	tools := newTools(store, LabelRules{}, Scan{mode: "off"}, slog.New(slog.DiscardHandler))
	if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: "a"}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	heard, done := make(updates, 100), make(chan error, 1)
	go func() { done <- tools.watch(ctx, heard) }()
	text := "new"
	if _, err := ruleset.Update(t.Context(), store, "a", ruleset.Patch{Markdown: &text}); err != nil {
		t.Fatal(err)
	}
	if _, err := ruleset.MoveLabel(t.Context(), store, "a", ruleset.LabelMove{Label: "production", Newest: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := ruleset.Create(t.Context(), store, ruleset.Draft{Name: "fence"}); err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for uri := range heard {
		if uri == "ruleset://fence" {
			break
		}
		times[uri]++
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if times["ruleset://a@production"] != 1 || times["ruleset://a@staging"] != 0 || times["ruleset://a"] == 0 {
		t.Errorf("heard %v", times)
	}
}
