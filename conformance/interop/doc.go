// Package interop has the clients of the official SDKs speak with the program,
// over standard input and output, in every revision that each of them knows.
//
// A run is a table of steps with what must come of each (steps_test.go). The
// clients are small programs that take the steps as JSON and report what their
// SDK made of the answers: node/ has those of the TypeScript SDK, versions 1
// and 2, and gosdk/ that of the Go SDK, a module of its own so that what it
// needs is not needed by us. A wiretap between client and server keeps what the
// server wrote, and a second server holds the same data folder all the while.
//
// The tests need node, npm and the packages that package-lock.json names; they
// are installed into node/node_modules once. Without them the tests skip, but
// where CI is set a missing package is a failure.
package interop
