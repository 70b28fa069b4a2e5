// Package conformance tests the whole program from outside. It replays conversation
// files over standard input and output and over HTTPS.
//
// Package mcptest documents the format of a conversation. In this package:
//
//   - the section flags holds arguments and environment variables of the program;
//     $DATA is the data folder;
//   - the section transports limits a conversation to stdio or https;
//   - the section prepare.sh is a script that runs in the data folder before the
//     program starts;
//   - the section needs lists required programs, such as gcc, and ptrace if the
//     program debugs a process;
//   - after the last line, the program must exit with status 0.
//
// Every message of the server in a conversation below revisions/NAME is validated
// against the published schema of that revision, from testdata/schema.
//
//	go test ./conformance -update              # rewrite the lines with <
//	go test ./conformance -cmd 'node other.js' # test another server
package conformance
