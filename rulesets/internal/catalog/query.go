package catalog

import (
	"fmt"
	"regexp"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// A Query says what to find: rulesets for which all that is given holds. An empty
// query finds all.
type Query struct {
	// Text is words, of which a ruleset has one at least. The best match comes first.
	Text string
	// Regexp is a regular expression (RE2) that matches a line of the name, the
	// description, the tags or the text.
	Regexp string
	// Tags are tags that a ruleset has all of, in any case.
	Tags []string
	// Path asks which rulesets apply to a file: they come first, in the order in which
	// they are read, and the others after them, with the reason.
	Path string
	// Client leaves out rulesets for other clients, or says so with a Path.
	Client string
	// Limit is the number of results, at most [MaxLimit]; 0 means [DefaultLimit].
	Limit int
	// Cursor is the Next of an earlier result.
	Cursor string
	// Skip is the number of results before those of this page, at most [MaxSkip].
	Skip int
	// Due leaves out rulesets whose review is not due on this day, such as 2026-11-30; ""
	// leaves out none.
	Due string
	// Months asks how many of what is found were made in each month.
	Months bool
	// Only, unless nil, has the names that may be found.
	Only map[ruleset.Name]bool
}

// Numbers of results.
const (
	DefaultLimit = 20
	MaxLimit     = 200
	MaxSkip      = 100_000
	// maxFacets is the number of tags that a result counts.
	maxFacets = 20
)

// A Result is a page of what was found.
type Result struct {
	Hits []Hit
	// Total is the number of rulesets found, and Applying the number of those that
	// apply to the path.
	Total, Applying int
	// Of is the number of all rulesets.
	Of int
	// Facets are the most frequent tags of what was found.
	Facets []Facet
	Months map[string]int // by month, such as 2026-11
	Next   string         // the cursor of the next page, "" at the end
}

// A Hit is a ruleset that was found.
type Hit struct {
	ruleset.Ruleset
	Score    float32            // 0 without a text
	Decision selection.Decision // zero without a path
	Layer    selection.Layer
	Line     int    // of Snippet in the Markdown, from 1
	Snippet  string // the line that matches best, "" if none does
}

// A Facet is a tag with the number of rulesets that have it.
type Facet struct {
	Tag   string
	Count int
}

// A QueryError reports a query that cannot be asked.
type QueryError struct {
	Field string
	Err   error
}

func (e *QueryError) Error() string { return fmt.Sprintf("%s: %v", e.Field, e.Err) }

func (e *QueryError) Unwrap() error { return e.Err }

// maxRegexp is the length limit of a regular expression.
const maxRegexp = 1000

// compile checks a query and completes it.
func (q Query) compile() (Query, *regexp.Regexp, position, error) {
	var pattern *regexp.Regexp
	var after position
	var err error
	if q.Path != "" {
		if q.Path, err = selection.CleanPath(q.Path); err != nil {
			return q, nil, after, &QueryError{"path", err}
		}
	}
	if len(q.Regexp) > maxRegexp {
		return q, nil, after, &QueryError{"regexp", fmt.Errorf("it is longer than %d bytes", maxRegexp)}
	}
	if q.Regexp != "" {
		if pattern, err = regexp.Compile(q.Regexp); err != nil {
			return q, nil, after, &QueryError{"regexp", err}
		}
	}
	if q.Cursor != "" {
		if after, err = parsePosition(q.Cursor); err != nil {
			return q, nil, after, &QueryError{"cursor", err}
		}
	}
	if q.Limit <= 0 {
		q.Limit = DefaultLimit
	}
	q.Limit = min(q.Limit, MaxLimit)
	q.Skip = min(max(q.Skip, 0), MaxSkip)
	return q, pattern, after, nil
}
