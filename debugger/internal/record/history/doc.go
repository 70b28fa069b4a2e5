// Package history records what a process does, instruction by instruction, and
// goes back.
//
//	recorder, err := history.New(history.NewTarget(process), history.Options{})
//	result, err := recorder.Step(ctx, 0, 1000) // 1,000 instructions, recorded
//	past := recorder.History()
//	traversal, err := past.Back(10)
//	regs, err := past.View().Regs(0) // as they were ten instructions ago
//
// A position numbers a state of the process. It grows by one with each recorded
// step, and with each stop after the process ran unrecorded. Between two
// positions is a record of the differences: registers, vector state, memory,
// mappings, threads.
//
// # The past is a view
//
// Going back writes nothing to the process, which stays stopped at the present.
// The [View] undoes records: it subtracts the differences of registers, and
// keeps copies of the pages that records have written in an overlay over the
// memory of the process. A record holds the memory contents from before its
// step. Undoing a record exchanges them with the contents in the overlay, so
// that the same record can be applied again.
//
// Records do not contain output, files, children and pending signals; memory
// that other processes write through shared mappings, or that other threads
// write into the buffers of a blocked system call; memory that the kernel
// writes at any time (see [proc.Process.Rseq]).
//
// # Steps
//
// Most instructions are interpreted (see package interp), which is some hundred
// times faster than single-stepping: general and vector instructions, except
// unusual floating point. System calls, x87 and rare instructions are
// single-stepped. Memory, registers and vector state of the process are brought
// up to date before the next single step and when the run ends. If this program
// is killed during that update, the process has part of it. [Options.Single]
// turns interpretation off. Each iteration of a repeated string instruction is
// a step.
//
// The steps of all threads are recorded in one order: one thread steps while
// the others are stopped. The others step in turns only while that thread is
// blocked in the kernel; instructions that use memory which the kernel may write
// meanwhile are single-stepped.
//
// # The past
//
// A History is a view that moves through a [Past]. Its parts are Steps, which reads what steps have
// done without moving the view; Findings, which remembers the results of searches; and Request, for
// which all of it works. There are three kinds of a past, and every search is written once over their
// interface:
//
//	Records    of single steps
//	Line       parts, one after another
//	a replay   of a recording, which makes Records of one window at a time (package recording)
//
// The past of a process that is recorded is a Line: what [Recorder.Follow] was given, then the
// Records of the recorder, in which the view shows the process itself. A search first asks the
// past for a place without looking at records. Then it reads the Records of the window there.
//
// # Limits
//
// Records are in a ring with a budget in bytes, from which the oldest are
// dropped. When something cannot be recorded, history restarts after it;
// [History.StartReason] returns the reason.
//
// # Concurrency
//
// A History and its Recorder belong to one goroutine.
package history
