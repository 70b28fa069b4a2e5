// Package conformance is the whole program seen from outside: conversations,
// as files, that are replayed over the roads that lead to it.
//
// A conversation is a txtar archive that begins with the sentence it proves.
// Its section wire is what is said, a line each:
//
//	> sent as it stands
//	< must come back exactly
//	<~ must come back, `what stands in backquotes` being a regular expression
//	<? like <~, in any order among the <? lines beside it
//	# a remark
//
// The section flags has arguments for the program; the section roads says stdio
// where a conversation is about standard input and output alone; a section after/FILE says
// what a file of its data folder must be in the end, with backquotes as in <~;
// all other sections are files that are laid into that folder before. When the
// conversation is over, the server must have nothing more to say and end by
// itself with status 0.
//
// Below revisions/NAME, every message of the server is also checked against
// the published schema of that revision, of which testdata/schema has a copy.
//
//	go test ./conformance -update              # rewrites the lines with <
//	go test ./conformance -cmd 'node other.js' # asks another server
//
// # Concurrency
//
// Calls to one family are answered in order and everything else may overtake,
// so a conversation sends one line and awaits its answer; <? is for what the
// server says of its own accord.
package conformance
