package composition

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// MaxDepth limits how deep includes go: a ruleset that includes none has depth 1.
const MaxDepth = 8

// maxLines limits the size of a composed text.
const maxLines = 1 << 20

// A Source returns the ruleset of a reference, with its revision.
type Source func(ctx context.Context, ref frontmatter.Reference) (ruleset.Ruleset, error)

// An Origin is the place that a line came from.
type Origin struct {
	Name ruleset.Name
	Rev  int
	Line int // in the Markdown, from 1
}

// String returns the place as NAME@REV:LINE.
func (o Origin) String() string { return fmt.Sprintf("%s@%d:%d", o.Name, o.Rev, o.Line) }

// A Line is a line of a composed text, without its end.
type Line struct {
	Text string
	From Origin
}

// A Text is a composed text.
type Text struct{ Lines []Line }

// String returns the text, which ends with a line feed unless it is empty.
func (t Text) String() string {
	var b strings.Builder
	for _, line := range t.Lines {
		b.WriteString(line.Text + "\n")
	}
	return b.String()
}

// A CycleError reports a ruleset that includes itself, over others or not.
type CycleError struct{ Path []ruleset.Name }

func (e *CycleError) Error() string { return "the includes are a cycle: " + join(e.Path) }

// A DepthError reports includes that are too deep.
type DepthError struct{ Path []ruleset.Name }

func (e *DepthError) Error() string {
	return fmt.Sprintf("includes may be %d deep: %s", MaxDepth, join(e.Path))
}

func join(path []ruleset.Name) string {
	words := make([]string, len(path))
	for i, name := range path {
		words[i] = string(name)
	}
	return strings.Join(words, " -> ")
}

// An IncludeError reports an include that cannot be read.
type IncludeError struct {
	In  ruleset.Name
	Ref frontmatter.Reference
	Err error
}

func (e *IncludeError) Error() string { return fmt.Sprintf("%s includes %s: %v", e.In, e.Ref, e.Err) }

func (e *IncludeError) Unwrap() error { return e.Err }

// A composer gathers the lines of rulesets.
type composer struct {
	source Source
	text   Text
	revs   map[ruleset.Name]int // of the rulesets that are in the text
}

// Compose returns the text of rulesets, one after the other, with their includes.
func Compose(ctx context.Context, source Source, all ...ruleset.Ruleset) (Text, error) {
	c := &composer{source: source, revs: map[ruleset.Name]int{}}
	for _, r := range all {
		if err := c.add(ctx, r, nil); err != nil {
			return Text{}, err
		}
	}
	return c.text, nil
}

// add adds a ruleset after its includes; path leads to it.
func (c *composer) add(ctx context.Context, r ruleset.Ruleset, path []ruleset.Name) error {
	path = append(slices.Clip(path), r.Name)
	if slices.Contains(path[:len(path)-1], r.Name) {
		return &CycleError{path}
	}
	if rev, known := c.revs[r.Name]; known {
		if rev != r.Rev {
			return fmt.Errorf("%s is included at revisions %d and %d", r.Name, rev, r.Rev)
		}
		return nil
	}
	if len(path) > MaxDepth {
		return &DepthError{path}
	}
	fields, _ := frontmatter.Of(r)
	for _, ref := range fields.Include {
		included, err := c.source(ctx, ref)
		if err != nil {
			return &IncludeError{r.Name, ref, err}
		}
		if err := c.add(ctx, included, path); err != nil {
			return err
		}
	}
	c.revs[r.Name] = r.Rev
	return c.append(r)
}

// append adds the lines of one ruleset, after an empty line if there are others.
func (c *composer) append(r ruleset.Ruleset) error {
	markdown := strings.TrimRight(r.Markdown, "\n")
	if markdown == "" {
		return nil
	}
	if len(c.text.Lines) > 0 {
		c.text.Lines = append(c.text.Lines, Line{From: Origin{r.Name, r.Rev, 0}})
	}
	line := 0
	for text := range strings.SplitSeq(markdown, "\n") {
		line++
		c.text.Lines = append(c.text.Lines, Line{text, Origin{r.Name, r.Rev, line}})
	}
	if len(c.text.Lines) > maxLines {
		return fmt.Errorf("the text has more than %d lines", maxLines)
	}
	return nil
}

// A Choice is the decision on one ruleset.
type Choice struct {
	Ruleset  ruleset.Ruleset
	Decision selection.Decision
	Place    selection.Place
}

// Choose decides on rulesets for a query. Those that apply come first, in the order in
// which they are read.
func Choose(all []ruleset.Ruleset, q selection.Query) []Choice {
	choices := make([]Choice, len(all))
	for i, r := range all {
		fields, _ := frontmatter.Of(r)
		layer := selection.LayerOfRuleset(r.Meta)
		d := selection.Decide(&fields, q)
		if q.Path == "" && fields.Mode() == frontmatter.Glob && fields.For(q.Client) {
			d = selection.Decision{Reason: "it applies to some files: give a path"}
		}
		choices[i] = Choice{r, d, selection.Place{Layer: layer, Order: fields.Order, Name: string(r.Name)}}
	}
	slices.SortFunc(choices, func(a, b Choice) int {
		if a.Decision.Applies != b.Decision.Applies {
			if a.Decision.Applies {
				return -1
			}
			return 1
		}
		return selection.Compare(a.Place, b.Place)
	})
	return choices
}
