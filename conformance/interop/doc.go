// Package interop has the clients of the official SDKs speak with the program,
// over standard input and output and over HTTPS, in every revision that each of
// them knows.
//
// A run is a table of steps with what must come of each (steps_test.go). The
// clients are small programs that take the steps as JSON and report what their
// SDK made of the answers: node/ has those of the TypeScript SDK, versions 1
// and 2, and gosdk/ that of the Go SDK, a module of its own so that what it
// needs is not needed by us. A second server holds the same data folder all the
// while.
//
// Over standard input and output a wiretap between client and server keeps what
// the server wrote. Over HTTPS the client is refused with a wrong key first, and
// what the SDK uses to speak HTTP is wrapped to tell which exchanges there were:
// the probe or the handshake at the beginning, the streams that are all there is
// for notifications to come by, the end of the session.
//
// TestRestart ends a server, by SIGTERM and by kill -9, and starts it again on its data
// folder: the TypeScript SDKs, mcp-remote and supergateway go on in their sessions.
//
// TestLogin, TestGatewayLogsIn and TestGoLogsIn begin without a key: the SDKs and mcp-remote find
// the login of a server, and a person with a key answers its page.
//
// The tests need node, npm and the packages that package-lock.json names; they
// are installed into node/node_modules once. Without them the tests skip, but
// where CI is set a missing package is a failure.
package interop
