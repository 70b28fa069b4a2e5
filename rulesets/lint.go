package rulesets

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/composition"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

type lintArgs struct {
	Name     string  `json:"name,omitempty" doc:"Default: all"`
	Markdown *string `json:"markdown" doc:"Check this instead"`
}

// lint checks a ruleset, a text that is not stored yet, or all rulesets.
func (t *tools) lint(ctx context.Context, _ *mcp.Call, args lintArgs) (linted, error) {
	if args.Markdown != nil {
		name := ruleset.Name(cmp.Or(args.Name, "text"))
		return lintedFrom(lint.Ruleset(ruleset.Ruleset{Meta: ruleset.Meta{Name: name}, Markdown: *args.Markdown}), 1), nil
	}
	var names []ruleset.Name
	if args.Name != "" {
		name, err := ruleset.ParseName(args.Name)
		if err != nil {
			return linted{}, &opError{"lint", err}
		}
		names = []ruleset.Name{name}
	}
	found, n, err := Lint(ctx, t.store, names, lint.Options{})
	if err != nil {
		return linted{}, &opError{"lint", err}
	}
	return lintedFrom(found, n), nil
}

// Lint checks the named rulesets of a store, or all if names is nil, with their
// includes. It also returns the number of rulesets checked.
func Lint(ctx context.Context, store ruleset.Store, names []ruleset.Name, o lint.Options) ([]lint.Finding, int, error) {
	var all []ruleset.Ruleset
	err := store.Read(ctx, names, func(r ruleset.Ruleset) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(r ruleset.Ruleset) bool { return r.Name == name }) {
			return nil, 0, &ruleset.NotFoundError{Name: name}
		}
	}
	if o.Resolve == nil {
		source := composition.FromStore(store)
		o.Resolve = func(r ruleset.Ruleset) error { return composition.Check(ctx, source, r) }
	}
	slices.SortFunc(all, func(a, b ruleset.Ruleset) int { return ruleset.Compare(a.Meta, b.Meta) })
	return lint.All(all, o), len(all), nil
}

// maxFindings limits the findings in an answer; more are only counted.
const maxFindings = 100

// linted is the answer of lint_ruleset.
type linted struct {
	Checked  int       `json:"checked"`
	Total    int       `json:"total"`
	Findings []finding `json:"findings"`
}

// finding is a finding of lint in an answer.
type finding struct {
	Name     string `json:"name"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Field    string `json:"field"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`

	text string
}

func lintedFrom(found []lint.Finding, checked int) linted {
	l := linted{Checked: checked, Total: len(found), Findings: []finding{}}
	for _, f := range found[:min(len(found), maxFindings)] {
		l.Findings = append(l.Findings, finding{string(f.Name), f.Rule, string(f.Severity), f.Field, f.Line, f.Column, f.Message, f.String()})
	}
	return l
}

// Text lists the findings.
func (l linted) Text() string {
	if l.Total == 0 {
		return fmt.Sprintf("Nothing found in %d ruleset(s)", l.Checked)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d finding(s) in %d ruleset(s):\n\n", l.Total, l.Checked)
	for _, f := range l.Findings {
		b.WriteString("- " + f.text + "\n")
	}
	if more := l.Total - len(l.Findings); more > 0 {
		fmt.Fprintf(&b, "… and %d more\n", more)
	}
	return b.String()
}
