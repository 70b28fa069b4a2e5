// Package bugs finds the places in a code base that resemble the one where a
// program stopped.
//
// It first decides what went wrong there: the signal, the faulting instruction,
// the values and the code around the line make a [Diagnosis], a [Kind] of bug
// and the reason for it. Then it searches a tree for three kinds of evidence:
//
//   - shared names: the lines around a place are scored by the names, and the words
//     of names, that they have in common with those around the site; rare ones count
//     most (Okapi BM25);
//   - similar code: token streams, in which names and literals are all alike, are
//     compared by local alignment, for as many places as MinHash selects;
//   - the same risk: a table of rules for each language describes a dereference
//     without a check, a use after free or an ignored error. Only rules of the kind
//     of the site count.
//
// The rank of a place joins all [features] with weights that were learned from fixes of
// public projects. Tests, generated code and code of others rank last.
//
// A [Request] may have the hunks of a patch instead of a site: the code before each of
// them is the site, and places that have its removed lines and lack its added ones rank
// first.
//
//	f, err := bugs.New(bugs.Config{})
//	…
//	report, err := f.Find(ctx, bugs.Request{
//		Path: "/src/project",
//		Site: bugs.Site{File: "src/parser.c", Line: 142, Signal: "SIGSEGV", FaultAddress: &address},
//	})
//	fmt.Println(report.Text())
//
// # What is read
//
// Regular files below the search path whose name says that they are source code
// in a language of the table. Symbolic links are not followed, and a file is
// opened through the directory it was found in, so that a link put in its place
// in between leads nowhere either. What .gitignore excludes, vendored folders,
// hidden folders, and files that are binary, too large or minified are left out
// and counted.
//
// # What is kept
//
// A [Finder] keeps the tokens of a tree between searches, about 65 bytes for a
// line of code with the names, and reads again only files whose size, time or
// inode changed.
// There is no index on disk. What a search may cost in time and memory is in
// [Config]; one that comes to its end answers from what it read, says so in the
// report, and the next goes on from there.
//
// # Concurrency
//
// A Finder may be used by many goroutines. Searches of one tree wait for each
// other while it is read. Find starts goroutines that read files and waits for
// them before it returns; the progress callback is never called by two at once.
package bugs
