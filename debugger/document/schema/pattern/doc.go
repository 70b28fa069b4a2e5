// Package pattern translates the regular expressions of XML Schema 1.0 (part 2,
// appendix F) to those of Go, which match in time that is linear in the text.
//
//	p, err := pattern.Compile(`\i\c*(,\i\c*){0,2}`)
//	ok := p.Match("a,b")
//
// Classes are sets of ranges of characters, so that subtraction and complements are
// exact. What the grammar does not list is an error: there are no anchors, no groups
// with a question mark, and no escapes but those of the appendix.
//
// A pattern may come from anywhere: its length, the depth of its groups, its classes
// and the size that its quantifiers give it are limited. The errors name the limit.
package pattern
