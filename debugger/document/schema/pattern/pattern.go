package pattern

import (
	"regexp"
)

// A Pattern is a compiled regular expression. Goroutines may share it.
type Pattern struct {
	text   string
	regexp *regexp.Regexp
}

// Compile returns the pattern of a text. The error says why the text is none, or which
// limit it exceeds.
func Compile(text string) (*Pattern, error) {
	n, err := parse(text)
	if err != nil {
		return nil, err
	}
	translated, err := translate(n)
	if err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return nil, err
	}
	return &Pattern{text, compiled}, nil
}

// String returns the text that the pattern was compiled from.
func (p *Pattern) String() string { return p.text }

// Match reports whether the whole text matches.
func (p *Pattern) Match(text string) bool { return p.regexp.MatchString(text) }
