package project

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// tenTargets have folders or shared files of their own.
var tenTargets = []string{"agents", "claude", "cursor", "copilot", "devin", "cline", "kiro", "gemini", "augment", "qwen"}

// many returns a store with 500 rulesets of 1 KiB, most of them for some files.
func many(b *testing.B) Source {
	b.Helper()
	store := memstore.New(time.Now)
	for n := range 500 {
		extra := fmt.Sprintf("globs: ['src/m%d/**', '**/*.x%d']\norder: %d\n", n, n, n%7)
		if n%5 == 0 {
			extra = ""
		}
		_, err := ruleset.Create(b.Context(), store, ruleset.Draft{
			Name: ruleset.Name(fmt.Sprintf("rule_%d", n)), Description: fmt.Sprintf("About %d: all of it", n), Extra: extra,
			Markdown: strings.Repeat("Write what you mean, and mean what you write.\n", 22),
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return FromStore(store, ruleset.By{})
}

func planOf(b *testing.B, source Source, dir string) (*Project, Plan) {
	b.Helper()
	p, err := Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	p.Selection.Targets = tenTargets
	all, _, err := Select(context.WithoutCancel(b.Context()), source, p.Selection)
	if err != nil {
		b.Fatal(err)
	}
	plan, err := p.Plan(all, nil)
	if err != nil {
		b.Fatal(err)
	}
	return p, plan
}

// BenchmarkPull writes 500 rulesets for ten clients into an empty project.
func BenchmarkPull(b *testing.B) {
	source := many(b)
	for b.Loop() {
		p, plan := planOf(b, source, b.TempDir())
		report, err := p.Apply(plan, Stop)
		if err != nil || len(report.Written) < 3000 {
			b.Fatal(len(report.Written), err)
		}
		p.Close()
	}
}

// BenchmarkStatus compares them with the files on disk.
func BenchmarkStatus(b *testing.B) {
	source, dir := many(b), b.TempDir()
	p, plan := planOf(b, source, dir)
	if _, err := p.Apply(plan, Stop); err != nil {
		b.Fatal(err)
	}
	p.Close()
	for b.Loop() {
		p, plan := planOf(b, source, dir)
		for _, i := range plan.Items {
			if i.State != Clean {
				b.Fatal(i.Path, i.State)
			}
		}
		p.Close()
	}
}
