package rulesets

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/rulesets/composition"
	"github.com/triptych-mcp/triptych/rulesets/lint"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

type lintArgs struct {
	Name     string  `json:"name,omitempty"`
	Markdown *string `json:"markdown"`
	Cursor   string  `json:"cursor,omitempty" listed:"false"`
}

// The rulesets that one call checks at most, and about how many bytes of text: a caller who
// may only read must not keep a processor busy with one request.
const (
	maxLinted      = 500
	maxLintedBytes = 2 << 20
)

// lint checks a ruleset, a text that is not stored yet, or all rulesets, a page of them at
// a time. A caller who reads a label has the labelled revisions checked.
func (t *tools) lint(ctx context.Context, call *mcp.Call, args lintArgs) (linted, error) {
	if args.Markdown != nil {
		name := ruleset.Name(cmp.Or(args.Name, "text"))
		return lintedFrom(lint.Ruleset(ruleset.Ruleset{Meta: ruleset.Meta{Name: name}, Markdown: *args.Markdown}), 1), nil
	}
	if args.Name == "" {
		return t.lintPage(ctx, t.viewFor(call), args.Cursor)
	}
	name, err := ruleset.ParseName(args.Name)
	if err != nil {
		return linted{}, &opError{"lint", err}
	}
	found, n, err := Lint(ctx, t.viewFor(call), []ruleset.Name{name}, lint.Options{Now: t.now()})
	if err != nil {
		return linted{}, &opError{"lint", err}
	}
	return lintedFrom(found, n), nil
}

// lintPage checks the rulesets from a cursor on, in the order of lists.
func (t *tools) lintPage(ctx context.Context, seen ruleset.Store, cursor string) (linted, error) {
	if _, err := ruleset.ParsePosition(cursor); cursor != "" && err != nil {
		return linted{}, &opError{"lint", errNotACursor}
	}
	metas, next, err := seen.List(ctx, ruleset.Page{After: cursor, Limit: maxLinted})
	if err != nil {
		return linted{}, &opError{"lint", err}
	}
	names := []ruleset.Name{}
	for size, i := 0, 0; i < len(metas); i++ {
		if size += metas[i].Summary.Bytes; i > 0 && size > maxLintedBytes {
			next = metas[i-1].Position()
			break
		}
		names = append(names, metas[i].Name)
	}
	found, n, err := lintSome(ctx, seen, names, lint.Options{Now: t.now()})
	if err != nil {
		return linted{}, &opError{"lint", err}
	}
	l := lintedFrom(found, n)
	l.Next = next
	return l, nil
}

// Lint checks the named rulesets of a store, or all if names is nil, with their
// includes. It also returns the number of rulesets checked.
func Lint(ctx context.Context, store ruleset.Store, names []ruleset.Name, o lint.Options) ([]lint.Finding, int, error) {
	for _, name := range names {
		if _, err := store.Get(ctx, name); err != nil {
			return nil, 0, err
		}
	}
	return lintSome(ctx, store, names, o)
}

// lintSome is Lint of those of the named rulesets that exist.
func lintSome(ctx context.Context, store ruleset.Store, names []ruleset.Name, o lint.Options) ([]lint.Finding, int, error) {
	var all []ruleset.Ruleset
	err := store.Read(ctx, names, func(r ruleset.Ruleset) error {
		all = append(all, r)
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	if o.Resolve == nil {
		source := composition.FromStore(store)
		o.Resolve = func(r ruleset.Ruleset) error { return composition.Check(ctx, source, r) }
	}
	slices.SortFunc(all, func(a, b ruleset.Ruleset) int { return ruleset.Compare(a.Meta, b.Meta) })
	return lint.All(all, o), len(all), nil
}

// Due returns the rulesets of a store that are due for review at a time, or out of use, in
// order of name.
func Due(ctx context.Context, store ruleset.Store, now time.Time) (due []lint.Finding, err error) {
	err = store.Read(ctx, nil, func(r ruleset.Ruleset) error {
		if f, is := lint.Due(r, now); is {
			due = append(due, f)
		}
		return nil
	})
	slices.SortFunc(due, func(a, b lint.Finding) int { return cmp.Compare(a.Name, b.Name) })
	return due, err
}

// maxFindings limits the findings in an answer; more are only counted.
const maxFindings = 100

// linted is the answer of lint_ruleset.
type linted struct {
	Checked  int       `json:"checked"`
	Total    int       `json:"total"`
	Findings []finding `json:"findings"`
	Next     string    `json:"next_cursor,omitempty"`
}

// Content says how to go on.
func (l linted) Content() []mcp.Content {
	if l.Next == "" {
		return nil
	}
	return []mcp.Content{mcp.Text(fmt.Sprintf("These are not all: call again with cursor %q. Duplicates are found within one call; triptych rulesets lint compares all", l.Next))}
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
