package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A Severity says how bad a finding is.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// A Finding is a place in a ruleset that deserves a look.
type Finding struct {
	Name     ruleset.Name `json:"name"`
	Rule     string       `json:"rule"` // such as hidden-unicode
	Severity Severity     `json:"severity"`
	Field    string       `json:"field"`  // name, description, tags, front matter or markdown
	Line     int          `json:"line"`   // in the field, from 1
	Column   int          `json:"column"` // in characters, from 1
	Message  string       `json:"message"`
}

// String returns the finding as compilers do.
func (f Finding) String() string {
	where := fmt.Sprintf("%s:%d:%d", f.Name, f.Line, f.Column)
	if f.Field != "markdown" {
		where = fmt.Sprintf("%s (%s)", f.Name, f.Field)
	}
	return fmt.Sprintf("%s: %s: %s: %s", where, f.Severity, f.Rule, f.Message)
}

// A RuleInfo describes a rule.
type RuleInfo struct{ ID, About string }

// Rules lists the rules.
var Rules = []RuleInfo{
	{"hidden-unicode", "Characters that people do not see and models read"},
	{"comment-instruction", "Orders to a model in an HTML comment or a description"},
	{"secret", "A key or token, by its published format"},
	{"pipe-to-shell", "A command that runs what it downloads"},
	{"base64", "A long text in base64"},
	{"lookalike-host", "The host of a URL mixes scripts"},
	{"front-matter", "A key of the front matter that cannot be read"},
	{"strict-yaml", "Front matter of an imported file that strict readers of YAML refuse"},
	{"buried-front-matter", "Front matter in the text, also behind a comment or empty lines, or without an end"},
	{"skill-name", "The name of a skill breaks the specification or differs from its folder"},
	{"test-data", "Test data that a client loads with every request"},
	{"glob", "A glob that is not valid or matches no file"},
	{"include", "An include that cannot be followed"},
	{"duplicate", "The same text in two rulesets"},
	{"budget", "More than a client reads"},
	{"review", "A text that is due for review, or that is out of use"},
	{unexamined, "A part of a long text that was not examined"},
}

// Worst returns the worst severity, "" if there are no findings.
func Worst(findings []Finding) Severity {
	for _, s := range []Severity{Error, Warning, Note} {
		if slices.ContainsFunc(findings, func(f Finding) bool { return f.Severity == s }) {
			return s
		}
	}
	return ""
}

// A RefusedError reports a text that was not written because of errors in it.
type RefusedError struct{ Findings []Finding }

// maxTold is the number of findings that an error names; the rest is counted.
const maxTold = 20

func (e *RefusedError) Error() string {
	var texts []string
	for _, f := range e.Findings[:min(len(e.Findings), maxTold)] {
		texts = append(texts, f.String())
	}
	told := "the text is refused: " + strings.Join(texts, "; ")
	if more := len(e.Findings) - len(texts); more > 0 {
		told += fmt.Sprintf("; and %d more", more)
	}
	return told
}

// A text is a field of a ruleset while it is checked.
type text struct {
	name  ruleset.Name
	field string
	s     string
	found *collector
}

// report adds a finding at a byte of the text.
func (t text) report(rule string, severity Severity, at int, format string, args ...any) {
	f := Finding{Name: t.name, Rule: rule, Severity: severity, Field: t.field}
	if !t.found.full(rule) { // finding the line takes time
		before := t.s[:at]
		line := before[1+strings.LastIndexByte(before, '\n'):]
		f.Line, f.Column = 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(line)
		f.Message = fmt.Sprintf(format, args...)
	}
	t.found.add(f)
}

// sortFindings sorts by ruleset and place.
func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Rule, b.Rule))
	})
}
