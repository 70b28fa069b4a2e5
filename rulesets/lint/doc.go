// Package lint checks rulesets for texts that a reader cannot see, for secrets, for
// commands that run what they download, and for mistakes in the front matter.
//
//	for _, f := range lint.Ruleset(r) {
//		fmt.Println(f) // go_style:12:3: error: hidden-unicode: …
//	}
//	findings := lint.All(rulesets, lint.Options{}) // duplicates and includes, too
//
// # Severities
//
// An error is an attack or a secret. A warning is a mistake, or a text that deserves a
// look. A note is a fact, such as a client that reads only the beginning. Writes are
// refused, where that is asked for, because of errors only.
//
// # Rules
//
//   - hidden-unicode: characters of the tag block, whose text is shown; controls of the
//     writing direction; characters without width; variation selectors that vary nothing;
//     soft hyphens. Emoji sequences, the flags of England, Scotland and Wales, and joiners
//     in scripts that need them are left alone.
//   - comment-instruction: an HTML comment, or a description, that gives a model orders.
//   - secret: a password or key, by the rules of package secrets for prose.
//   - pipe-to-shell, base64, lookalike-host
//   - front-matter, glob, include, duplicate, budget
//   - unexamined: a text is so long, or has so many words that secrets have, that a part
//     of it was not examined.
package lint
