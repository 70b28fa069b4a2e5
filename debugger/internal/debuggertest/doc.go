// Package debuggertest builds and starts the small programs that the
// debugger's tests work on, and finds the places in them that are marked
// //break:name.
//
//	program := debuggertest.Start(t, "threads.c")
//	address := program.Mark("tick")
//	got := program.Ask("count")
//
// The programs are in testdata/programs. Each reads commands, one a line, and
// answers each with a line. A program ends with its test.
package debuggertest
