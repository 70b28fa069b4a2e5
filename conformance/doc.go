// Package conformance is the whole program seen from outside: conversations,
// as files, that are replayed over the roads that lead to it.
//
// Package mcptest says what a conversation is made of. Here its section flags has
// arguments and variables for the program, in which $DATA is its data folder, and
// the section roads says stdio where it is about standard input and output alone.
// A section prepare.sh runs in the data folder before the program starts, and
// the section needs has the programs that it takes, such as gcc, and ptrace where
// the program debugs others. When the conversation is over, the program must end
// by itself with status 0.
//
// Below revisions/NAME, every message of the server is also checked against
// the published schema of that revision, of which testdata/schema has a copy.
//
//	go test ./conformance -update              # rewrites the lines with <
//	go test ./conformance -cmd 'node other.js' # asks another server
package conformance
