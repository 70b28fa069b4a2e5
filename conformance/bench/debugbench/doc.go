// Command debugbench measures the debugger's tools beside gdb and Delve, on the
// same programs in the same run, and writes the page docs/debugger-performance.md
// and the plots beside it.
//
//	go run ./debugbench [-quick] [-only REGEXP] [-root ../..]
//
// Ours is triptych stdio in a process of its own, asked over pipes in MCP; gdb is
// asked in its machine interface over pipes, Delve's server in JSON over TCP.
// Every one debugs a fresh process of each program in testdata. They take turns,
// round after round, and what is compared is the median of the ratios of each
// round: a machine that is slow for a while is slow for all.
//
// Whole recordings (whole.go, wholeserver.go, wholepast.go) are measured by processor
// time: triptych record, the programs alone, and qemu-x86_64 if it is installed.
//
// A debugger is an implementation of [debugger], and of [timeTraveller] if it
// goes back. A part of the run (looking.go, travelling.go, running.go) takes
// readings by name; a table (rows.go) makes of them the rows of the page, with
// the goals that were set before.
package main
