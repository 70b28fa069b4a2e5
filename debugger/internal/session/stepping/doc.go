// Package stepping goes through the execution of a target: steps forward and
// back by instruction and by line, breakpoints, watchpoints, recording.
//
// # Positions
//
// At the present a step is made by the process and recorded. In the past, and
// in a trace, it is looked up in the history. [Stepper.Forward] joins both;
// what stops on the way is decided by the same breakpoints.
//
// # Call tree
//
//	StepLine, StepOut ─► lineWalk.run ─► walk.until ─► replayTo  (past)
//	                                  │             └► live      (present, recorded)
//	                                  └► runOut     ─► callEnd   (until a call returns)
//	StepBack          ─► backLineWalk ─► Backward
//	ReverseContinue   ─────────────────► Backward
//	Continue, Record  ─► replay, Run, live
//
// # Concurrency
//
// A [Stepper] belongs to one goroutine at a time; the session that has it sees
// to that.
package stepping
