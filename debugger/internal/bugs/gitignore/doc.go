// Package gitignore decides which files git ignores (gitignore(5)).
//
//	list := gitignore.Parse(nil, ".", text)
//	list = gitignore.Parse(list, "src", textOfSrc)
//	if list.Ignores("src/gen.go", false) {
//
// Paths are slash-separated and relative to a root, the folder where a search
// begins.
//
// # Concurrency
//
// A List is immutable.
package gitignore
