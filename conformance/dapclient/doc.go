// Package dapclient drives triptych dap with a client that others wrote: DebugClient of
// @vscode/debugadapter-testsupport, with which Microsoft tests the debug adapters of VS
// Code.
//
// node/session.mjs launches a program, attaches to a process, opens a core file, and follows
// the session of an agent. It sets breakpoints of each kind and filters of exceptions, looks at
// stacks, variables, memory and instructions, steps both ways, sends the custom requests,
// cancels, restarts and terminates, and prints each difference from the program's source.
//
// The tests need gcc, node, npm and the packages that package-lock.json names. They are
// installed into node/node_modules once. Without them the tests skip, but where CI is set
// a missing package is a failure.
package dapclient
