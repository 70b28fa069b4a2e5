package frontmatter

import (
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Fields are the front matter keys of the canonical model. The zero value is that of
// a ruleset without any.
type Fields struct {
	// Globs match the files that the rules apply to, as slash-separated paths from
	// the root of the project.
	Globs []string
	// Activation is the mode that the author wrote, "" if none. [Fields.Mode] has
	// the mode that results.
	Activation Mode
	// Targets are the clients that the rules are for. None, or "*", means all.
	Targets []string
	// Root marks the rules that belong into the root file of a project.
	Root bool
	// Order sorts rulesets that apply together, smallest first.
	Order int
	// Include lists the rulesets whose text comes before that of this one.
	Include []Reference
	// Prompt and Arguments make the ruleset a prompt. See [Fields.IsPrompt].
	Prompt    bool
	Arguments []Argument
	// Skill has what a SKILL.md says; nil if nothing is written.
	Skill *Skill
	// NoSkill says that the ruleset is not to be served as a skill: skill: false.
	NoSkill bool
	// Owner answers for the text. Status is draft, active, deprecated or another word.
	// ReviewAfter is the last day, as 2026-11-30, before a review is due. They are "" if
	// they are not written.
	Owner, Status, ReviewAfter string
	// Extra has the keys that only one client knows, by client, each as the lines
	// of a YAML mapping.
	Extra map[string]string
}

// A Mode says when a client should load rules.
type Mode string

// The modes.
const (
	Always Mode = "always" // in every conversation
	Glob   Mode = "glob"   // when a file is touched that a glob matches
	Auto   Mode = "auto"   // when the model thinks so, by the description
	Manual Mode = "manual" // when the user says so
)

// Mode returns the mode of the rules: the one that is written, else [Glob] if there
// are globs, else [Always].
func (f *Fields) Mode() Mode {
	switch {
	case f.Activation != "":
		return f.Activation
	case len(f.Globs) > 0:
		return Glob
	}
	return Always
}

// For reports whether the rules are for a client. The empty client is any.
func (f *Fields) For(client string) bool {
	if client == "" || len(f.Targets) == 0 {
		return true
	}
	return slices.ContainsFunc(f.Targets, func(target string) bool { return target == "*" || strings.EqualFold(target, client) })
}

// IsPrompt reports whether the ruleset is offered as a prompt: one that takes
// arguments needs not say so.
func (f *Fields) IsPrompt() bool { return f.Prompt || len(f.Arguments) > 0 }

// An Argument is a gap in the text of a prompt.
type Argument struct {
	Name        string
	Description string
	Required    bool
	Values      []string // suggestions; others are allowed
}

// A Skill has the keys of a SKILL.md besides name and description.
type Skill struct {
	License       string
	Compatibility string
	Metadata      map[string]string
	AllowedTools  []string // separated by spaces in the file
	// Extra has the other keys, as the lines of a YAML mapping.
	Extra string
}

// A Problem is a key that could not be read.
type Problem struct {
	Key    string
	Line   int // in the text of the keys, from 1
	Reason string
}

func (p Problem) String() string { return p.Key + ": " + p.Reason }

// A Reference names a ruleset, and a revision or label of it.
type Reference struct {
	Name ruleset.Name
	At   string // the number of a revision or a label, "" for the newest
}

// String returns the reference as [ParseReference] reads it.
func (r Reference) String() string {
	if r.At == "" {
		return string(r.Name)
	}
	return string(r.Name) + "@" + r.At
}

// ParseReference reads NAME, NAME@LABEL or NAME@REV.
func ParseReference(s string) (Reference, error) {
	word, at, pinned := strings.Cut(s, "@")
	name, err := ruleset.ParseName(word)
	if err != nil {
		return Reference{}, err
	}
	if pinned && !isRevision(at) {
		if _, err := ruleset.ParseLabel(at); err != nil {
			return Reference{}, err
		}
	}
	return Reference{Name: name, At: at}, nil
}

// isRevision reports whether s is the number of a revision as it is written.
func isRevision(s string) bool {
	isDigit := func(c rune) bool { return c >= '0' && c <= '9' }
	return s != "" && len(s) <= 9 && s[0] != '0' && strings.TrimLeftFunc(s, isDigit) == ""
}
