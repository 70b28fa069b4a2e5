// Package conformance is the whole program seen from outside: conversations,
// as files, that are replayed over standard input and output.
//
// A conversation begins with the sentence that it proves. In its section wire,
// > is sent, < must come back exactly, and <~ must match a regular expression.
// The section flags has the program's arguments, a line each; all others are
// files that are laid into the data folder.
//
//	go test ./conformance -update              # rewrites the lines with <
//	go test ./conformance -cmd 'node other.js' # asks another server
package conformance
