// Package frontmatter reads and writes the front matter keys of a ruleset that have
// no field in package ruleset: to which files the rules apply, for which clients, in
// which order, and whether the ruleset is a prompt or a skill.
//
// Stores keep these keys as a text, [ruleset.Ruleset.Extra]: the lines of a YAML
// mapping, in a file between its fences, in Valkey in the field extra of the hash.
// This package is the only one that reads that text.
//
//	r, err := store.Get(ctx, name)
//	fields, problems := frontmatter.Of(r)
//	if fields.Mode() == frontmatter.Glob { … fields.Globs … }
//
//	fields.Order = 10
//	extra, err := fields.Merge(r.Extra)
//	store.Update(ctx, name, ruleset.Patch{Extra: &extra})
//
// # Keys
//
//	globs:      [src/**/*.go, "*.mod"]     files that the rules apply to
//	activation: always                     always, glob, auto or manual; see [Mode]
//	targets:    [cursor, claude]           clients; without it, or with "*", all
//	root:       true                       belongs into a project's root file
//	order:      10                         smaller numbers come first; default 0
//	include:    [go_style@production]      rulesets whose text comes before this one
//	prompt:     true                       is offered as a prompt
//	arguments:  [{name: file, description: …, required: true, values: [a.go, b.go]}]
//	skill:      {license: …, compatibility: …, metadata: {…}, allowed-tools: …}
//	extra:      {cursor: {…}, claude: {…}} keys for one client, kept as they are
//
// All keys are optional. A list may be written as a text with commas, as editors
// do; a comma within braces belongs to its glob. Where a key is missing, the key by
// which an editor calls the same thing is read in its place, so that imported files
// work without a change: paths, applyTo and fileMatchPattern for globs, and
// alwaysApply, trigger, inclusion and type for activation.
//
// # Errors
//
// Reading never fails: rules that people wrote stay usable. A key whose value has
// the wrong form counts as missing and is a [Problem]. Its text stays as it is.
//
// # Round trips
//
// [Fields.Merge] changes only the keys whose meaning changes. All others stay with
// their order, form and comments, also those that are not known here.
package frontmatter
