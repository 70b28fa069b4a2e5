// Package selection decides which rulesets apply to a file, in which order, and says
// why the others do not.
//
//	d := selection.Decide(&fields, selection.Query{Path: "src/api/x.go", Client: "cursor"})
//	d.Applies, d.Reason // true, `the file matches "src/**/*.go"`
//
// # Globs
//
// A glob matches whole paths from the root of the project, with slashes on every
// system. * and ? stand for characters other than a slash, ** between slashes for any
// number of folders, [a-z] and [!a-z] for one character, {a,b} for alternatives, and a
// backslash takes the meaning from the character that follows. So *.go matches the
// files of the root alone, **/*.go all. A leading / or ./ means nothing; dir/ and
// dir/** match everything below dir. A glob after ! excludes what it matches, wherever it
// stands in the list. Case matters.
//
// Editors differ in details from each other and from this; these are the rules of the
// store itself.
//
// # Order
//
// Rules that apply to the same file are read one after the other, and what comes last
// is heard last. So the general layers come first: org, team, project, user
// ([LayerOf]); within a layer the order key decides, and then the name ([Compare]).
package selection
