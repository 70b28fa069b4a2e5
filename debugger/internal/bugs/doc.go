// Package bugs finds the places in a code base that resemble the one where a
// program stopped.
//
// It first decides what went wrong: from the signal, the faulting instruction,
// the values and the code around the line it derives a [Diagnosis], that is, a
// [Kind] of bug and a reason. Then it searches a tree for three kinds of
// evidence:
//
//   - shared names: the lines around a place are scored by the names, and words
//     of names, that they share with the lines around the site; rare names count
//     most (Okapi BM25);
//   - similar code: token streams, without the spelling of names and literals,
//     are compared by local alignment, for the places that MinHash selects;
//   - the same risk: a table of rules for each language matches dereferences
//     without a check, uses after free, ignored errors and others. Only rules for
//     the kind of bug at the site count.
//
// The rank of a place combines all [features] with weights that were learned from
// fixes in public projects. Tests, generated code and third-party code rank last. From
// the rank follows how often such a finding is right, its confidence.
//
// A [Request] may give the hunks of a patch instead of a site. Then the code
// before each hunk is the site, and places that contain its removed lines and
// lack its added ones rank first.
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
// Regular files below the search path that have the name of source code in a
// supported language. Symbolic links are not followed, and each file is opened
// relative to the folder in which it was found, so that a link that replaces it
// cannot lead elsewhere. Files that .gitignore excludes, vendored and hidden
// folders, and files that are binary, too large or minified are skipped and
// counted.
//
// # Caching
//
// A [Finder] caches the tokens of a tree between searches, some 65 bytes for a
// line of code including names, and reads only files again whose size,
// modification time or inode changed. [Config] limits
// time and memory. A search that reaches a limit uses the files read so far and
// says so in the report; the next search continues from there.
//
// # Concurrency
//
// A Finder may be used by several goroutines. Searches of the same tree wait for
// each other while it is read. Find starts goroutines that read files and waits
// for them before it returns; it never calls the progress function concurrently.
package bugs
