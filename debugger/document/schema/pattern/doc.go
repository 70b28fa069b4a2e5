// Package pattern matches texts against the regular expressions of XML Schema 1.0 (part 2,
// appendix F).
//
//	p, err := pattern.Compile(`\i\c*(,\i\c*){0,2}`)
//	ok, err := p.Match("a,b")
//
// Classes are sets of ranges of characters, so that subtraction and complements are
// exact. What the grammar does not list is an error: there are no anchors, no groups
// with a question mark, and no escapes but those of the appendix.
//
// A pattern becomes a nondeterministic automaton, which runs as a deterministic one whose
// states are made as texts lead to them. Package regexp is not used: it limits
// quantifiers to 1000, and a match cannot be ended.
//
// A pattern may come from anywhere, and so may a text. The length of a pattern, the depth
// of its groups, its classes and the size that its quantifiers give it are limited, and
// the errors name the limit. The time to match is proportional to the length of the
// text, with a limit on the steps that new states take; the memory of the states of all
// patterns together is limited.
package pattern
