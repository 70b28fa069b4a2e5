package project

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Edits in files and in the store, pulls and pushes in any order: no line that anyone
// wrote is ever lost, and a pull after a pull changes nothing.
func TestNoLineIsLost(t *testing.T) {
	rounds := sample.Count(12, 100)
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runOrder(t, rand.New(rand.NewPCG(seed, 16))) })
	}
}

func runOrder(t *testing.T, random *rand.Rand) {
	b := newBench(t, "gemini", "cursor", "claude", "kiro", "gemini")
	names := []string{"a", "b", "c"}
	for i, name := range names {
		b.create(name, []string{"", "globs: ['src/**']\n", "activation: auto\n"}[i], "# "+name+"\n\nFirst line of "+name+"\n")
	}
	b.write("GEMINI.md", "Text of ours\n")
	b.mustPull()
	var lines []string
	for n := range 30 {
		line := fmt.Sprintf("line %d", n)
		switch random.IntN(6) {
		case 0:
			name := names[random.IntN(len(names))]
			r, err := b.store.Get(t.Context(), ruleset.Name(name))
			if err != nil {
				t.Fatal(err)
			}
			b.update(name, r.Markdown+line+" in the store\n")
		case 1, 2:
			b.insert(random, line)
		case 3:
			b.push()
			continue
		case 4:
			if _, err := b.pull(Ours); err != nil {
				t.Fatal(err)
			}
			continue
		case 5:
			_, err := b.pull(Stop)
			if err == nil {
				b.checkIdempotent()
			}
			continue
		}
		lines = append(lines, line)
		b.checkLines(lines)
	}
	b.checkLines(lines)
	if !strings.Contains(b.read("GEMINI.md"), "Text of ours\n") {
		t.Error("the text around the block is lost")
	}
}

// insert puts a line into one of the rule files, within the text of a rule.
func (b *bench) insert(random *rand.Rand, line string) {
	b.t.Helper()
	files := []string{"GEMINI.md", "GEMINI.md", ".cursor/rules/a.mdc", ".cursor/rules/b.mdc", ".claude/rules/b.md", ".kiro/steering/c.md"}
	name := files[random.IntN(len(files))]
	text := b.read(name)
	marks := strings.Split(text, "First line of ")
	at := 1 + random.IntN(len(marks)-1)
	joined := strings.Join(marks[:at], "First line of ") + line + " in " + name + "\n" + "First line of " + strings.Join(marks[at:], "First line of ")
	b.write(name, joined)
}

// checkLines looks for lines in the files and in all revisions.
func (b *bench) checkLines(lines []string) {
	b.t.Helper()
	var all strings.Builder
	for _, text := range b.files() {
		all.WriteString(text)
	}
	for _, name := range []ruleset.Name{"a", "b", "c"} {
		history, err := b.store.History(b.t.Context(), name)
		if err != nil {
			b.t.Fatal(err)
		}
		for _, r := range history {
			all.WriteString(r.Content.Markdown)
		}
	}
	for _, line := range lines {
		if !strings.Contains(all.String(), line+" in ") {
			b.t.Fatalf("%q is lost", line)
		}
	}
}

// checkIdempotent pulls again and compares all bytes.
func (b *bench) checkIdempotent() {
	b.t.Helper()
	before := b.files()
	report, err := b.pull(Stop)
	if err != nil || len(report.Written)+len(report.Removed) != 0 || len(b.states()) != 0 {
		b.t.Fatalf("a second pull: %+v, %v, %v", report, err, b.states())
	}
	if diff := cmp.Diff(before, b.files()); diff != "" {
		b.t.Fatal(diff)
	}
	if temps, err := filepath.Glob(filepath.Join(b.dir, "*", "*", ".*"+"triptych-new")); err != nil || len(temps) > 0 {
		b.t.Fatal(temps, err)
	}
}
