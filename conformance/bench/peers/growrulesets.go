package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A shelf is a place with more and more rulesets.
type shelf struct {
	name string
	most int
	url  string
	fill func(from, to int) error
	open func() (ruleset.Store, error)
}

// growRulesets draws what the number of rulesets does to each tool.
func (b *bench) growRulesets(ctx context.Context) error {
	p := plot{
		File: "rulesets.svg", Title: "Calls of the ruleset tools, without a transport", LogX: true, LogY: true,
		X: "rulesets", Y: "time of a call, µs", Remark: "A page is a hundred rulesets; the search finds ten.",
	}
	dir, err := os.MkdirTemp(b.data, "shelf")
	if err != nil {
		return err
	}
	shelves := []shelf{{
		"files", 10_000, dir, func(from, to int) error { return fillFolder(dir, from, to) },
		func() (ruleset.Store, error) { return openStore(ctx, dir) },
	}}
	r, err := startRedis(ctx)
	if err != nil {
		return err
	}
	if r != nil {
		shelves = append(shelves, shelf{
			"Redis", 100_000, r.url(), func(from, to int) error { return r.fill(ctx, from, to) },
			func() (ruleset.Store, error) { return openStore(ctx, r.url()) },
		})
	}
	for _, s := range shelves {
		lines, err := b.growShelf(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		p.Lines = append(p.Lines, lines...)
	}
	b.plot(p)
	if r == nil {
		return nil
	}
	return r.stop()
}

// growShelf fills a shelf by tens and measures at each.
func (b *bench) growShelf(ctx context.Context, s shelf) ([]line, error) {
	lines := []line{{Name: s.name + ", get_ruleset"}, {Name: s.name + ", a page"}, {Name: s.name + ", search_rulesets"}}
	if b.quick {
		s.most /= 10
	}
	for have, n := 0, 100; n <= s.most; have, n = n, n*10 {
		if err := s.fill(have, n); err != nil {
			return nil, err
		}
		micros, err := b.measureShelf(ctx, s, n)
		if err != nil {
			return nil, err
		}
		for i := range lines {
			lines[i].Points = append(lines[i].Points, [2]float64{float64(n), micros[i]})
		}
	}
	return lines, nil
}

func (b *bench) measureShelf(ctx context.Context, s shelf, n int) (micros []float64, err error) {
	f, err := b.family(ctx, new(rulesets.Config), host.Env{Data: b.data, Store: s.url})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.server.Close()) }()
	store, err := s.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	readings, err := race(b.brisk(),
		op{"get", f.call(ctx, "get_ruleset", fmt.Sprintf(`{"name":"rule_%d"}`, n/2))},
		firstPage(ctx, store),
		op{"search", f.call(ctx, "search_rulesets", fmt.Sprintf(`{"pattern":"rule_%d?"}`, n/20))})
	for _, r := range readings {
		micros = append(micros, 1e6/r.Rate)
	}
	return micros, err
}

func fillFolder(dir string, from, to int) error {
	for i := from; i < to; i++ {
		name := filepath.Join(dir, fmt.Sprintf("rule_%d.md", i))
		if err := os.WriteFile(name, fmt.Appendf(nil, rulesetFile, i, "# Rule\n\nText\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
