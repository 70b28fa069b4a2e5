package valkeystore

import (
	"context"
	"log/slog"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A counter counts the round trips of a client: commands, pipelines and transactions.
type counter struct{ n atomic.Int64 }

func (c *counter) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

func (c *counter) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmd)
	}
}

func (c *counter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n.Add(1)
		return next(ctx, cmds)
	}
}

// Histories and labels add no round trip to a change of one ruleset, nor to a read.
func TestRoundTrips(t *testing.T) {
	s, err := Open(t.Context(), "valkey://"+miniredis.RunT(t).Addr(), "", slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // the fake ends anyhow
	count := &counter{}
	s.client.AddHook(count)
	ctx, text := t.Context(), ""
	var base ruleset.Ruleset
	create := func(name ruleset.Name) error {
		base, err = ruleset.Create(ctx, s, ruleset.Draft{Name: name})
		return err
	}
	update := func(p ruleset.Patch) error {
		text += "x"
		p.Markdown = &text
		base, err = ruleset.Update(ctx, s, "a", p)
		return err
	}
	batch := func(names ...ruleset.Name) error {
		text += "x"
		var ops []ruleset.Operation
		for _, name := range names {
			ops = append(ops, ruleset.Operation{Name: name, Update: &ruleset.Patch{Markdown: &text}})
		}
		_, err := s.Apply(ctx, ops, ruleset.ApplyOptions{})
		return err
	}
	for round := range 2 { // in the first one the server learns the scripts
		for _, step := range []struct {
			name string
			do   func() error
			want int64
		}{
			{"create", func() error { return create("a") }, 1},
			{"create another", func() error { return create("b") }, 1},
			{"get", func() error { _, err := s.Get(ctx, "a"); return err }, 1},
			{"update", func() error { return update(ruleset.Patch{}) }, 1},
			{"update at a revision", func() error { return update(ruleset.Patch{IfRev: base.Rev}) }, 1},
			{"update from a base", func() error { return update(ruleset.Patch{Base: &base}) }, 2},
			{"move a label", func() error {
				_, err := ruleset.MoveLabel(ctx, s, "a", ruleset.LabelMove{Label: "x", Newest: true})
				return err
			}, 3},
			{"moves of labels", func() error { _, err := s.LabelMoves(ctx, "a"); return err }, 1},
			{"history", func() error { _, err := s.History(ctx, "a"); return err }, 2},
			{"batch", func() error { return batch("a", "b") }, 3},
			{"names", func() error { _, _, err := s.Names(ctx, "a", 10); return err }, 1},
			{"delete", func() error { return ruleset.Delete(ctx, s, "a", ruleset.Removal{}) }, 1},
			{"delete another", func() error { return ruleset.Delete(ctx, s, "b", ruleset.Removal{}) }, 1},
		} {
			before := count.n.Load()
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if got := count.n.Load() - before; round > 0 && got != step.want {
				t.Errorf("%s takes %d round trips, want %d", step.name, got, step.want)
			}
		}
	}
}
