package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// A sampledHit is a match of a rule in the newest commit of a project.
type sampledHit struct {
	bugs.RuleHit
	project, commit string
}

// String is a row of the sample, without a verdict: the rule, the project, the commit
// and the place.
func (h sampledHit) String() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s:%d", h.Rule, h.project, h.commit, h.File, h.Line)
}

// perRule is the number of matches of a rule that are sampled.
const perRule = 8

// sampleRules prints how often each rule matches in the newest commits of clones,
// outside of tests and bundled code, and a sample of the matches, to be judged.
func sampleRules(ctx context.Context, dirs []string, out io.Writer) error {
	byRule := map[string][]sampledHit{}
	for _, dir := range dirs {
		if err := ruleHits(ctx, openClone(dir), byRule); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(byRule)) {
		hits := byRule[id]
		if _, err := fmt.Fprintf(out, "# %s matches %d times\n", id, len(hits)); err != nil {
			return err
		}
		for _, h := range drawHits(hits, perRule) {
			if _, err := fmt.Fprintln(out, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// ruleHits adds the matches in a clone.
func ruleHits(ctx context.Context, c clone, byRule map[string][]sampledHit) error {
	head, err := c.git(ctx, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return err
	}
	co, err := newCheckout(ctx, c)
	if err != nil {
		return err
	}
	defer co.close()
	head = strings.TrimSpace(head)
	if err := co.move(ctx, head); err != nil {
		return err
	}
	finder, err := bugs.New(bugs.Config{})
	if err != nil {
		return err
	}
	hits, err := finder.RuleHits(ctx, co.dir)
	if err != nil {
		return err
	}
	for _, h := range hits {
		if isSource(h.File) {
			byRule[h.Rule] = append(byRule[h.Rule], sampledHit{h, c.project, head})
		}
	}
	return nil
}

// drawHits returns n matches, the same ones each time, at most half of them of one
// project if there are others.
func drawHits(hits []sampledHit, n int) []sampledHit {
	key := func(h sampledHit) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(h.String()))) }
	hits = slices.SortedFunc(slices.Values(hits), func(a, b sampledHit) int { return cmp.Compare(key(a), key(b)) })
	taken := map[string]int{}
	var first, rest []sampledHit
	for _, h := range hits {
		if taken[h.project] < (n+1)/2 && len(first) < n {
			taken[h.project]++
			first = append(first, h)
		} else {
			rest = append(rest, h)
		}
	}
	return append(first, rest[:min(len(rest), n-len(first))]...)
}
