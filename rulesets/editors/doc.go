// Package editors knows the rule files of editors and agents: where each of them
// looks for rules, which front matter it reads, how it matches globs and how much of
// a file it loads.
//
//	rule, err := editors.FromRuleset(r)
//	plan := editors.Render([]editors.Rule{rule}, targets, exists)
//	for _, file := range plan.Files {
//		// file.Path, file.Content, file.Reaches
//	}
//
// [Clients] is the table that everything here is made of: rendering rules into files,
// reading files back, explaining which rules a client loads for a file, and the
// documentation. A new client is a new row.
//
// A client that cannot express a property of a rule gets the next best form. Each
// [Note] of a [Plan] says what was done: a rule is native, projected or skipped.
//
// # Round trips
//
// [Rule.Parse] of a rendered file returns the rule. A file that was written by
// others, in another order of keys, with comments or with CRLF, is rendered with the
// same bytes again: the rule keeps what differs from the usual form, per client, under
// the key extra.
//
// # Reading order
//
//	client.go clients.go lookup.go     what a client is, the table, finding a client in it
//	rule.go plan.go                    what is rendered, and the result
//	render.go block.go special.go      rules into files: of their own, shared, skills, commands
//	file.go front.go                   one file with its front matter
//	read.go                            files back into rules
//	explain.go budget.go               which rules a client loads for a file, and how much of them
//	lines.go text.go glob.go describe.go   YAML as lines, fences, globs, descriptions
//
// The package reads no files of its own accord. Functions that need the project take
// an [io/fs.FS] or a function.
package editors
