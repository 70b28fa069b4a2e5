// Package composition puts rulesets together: the includes of one, and all that apply to
// a file. Each line of the result knows where it came from.
//
//	text, err := composition.Compose(ctx, source, r)
//	text.String()            // the Markdown of the includes, then that of r
//	text.Lines[3].From       // go_style@4:17
//
// # Includes
//
// The text of an include comes before the text of the ruleset that includes it, in the
// order of the list, and what it includes comes before it in turn. A ruleset that is
// reached twice is there once, where it is reached first. Includes may be [MaxDepth]
// deep; a cycle is an error, and so is a ruleset that is reached at two revisions.
//
// # Order
//
// Rulesets that apply together come in the order of package selection: org, team,
// project, user; then by the key order; then by name.
package composition
