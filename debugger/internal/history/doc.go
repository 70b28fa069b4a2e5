// Package history records what a process does, instruction by instruction, and
// goes back.
//
//	recorder, err := history.New(history.Of(process), history.Options{})
//	result, err := recorder.Step(ctx, 0, 1000) // 1,000 instructions, recorded
//	past := recorder.History()
//	travel, err := past.Back(10)
//	regs, err := past.View().Regs(0) // as they were ten instructions ago
//
// A position is a number for each moment: one more for each recorded step, and
// for each stop after the process ran by itself. Between two positions is a
// record of what changed: registers, vector state, memory, mappings, threads.
//
// # The past is a view
//
// Nothing is written to the process. The [View] is moved by taking records back:
// registers by subtracting what was added, memory through copies of the pages
// that records have written, over those of the process, which stands still at
// the present. A record holds the memory as it was before; when it is taken
// back the contents change places, so that it can be applied again.
//
// What records do not have: what the process sent out, files, children, pending
// signals; memory that others write through shared mappings, or other threads in
// the buffers of a system call that waits; memory that the kernel writes by
// itself (see [proc.Process.Rseq]).
//
// # Steps
//
// Instructions that need no processor are interpreted, some hundred times
// faster (see package interp): general ones and those on vectors, but for
// unusual floating point. System calls, the x87 stack and what is rare are the
// processor's. The process is brought up to date, in memory, registers and
// vector state, before the processor makes the next step and when the steps
// end. If this program is killed at just that moment, the process has part of
// it. [Options.Single] turns this off. A repeated string instruction is a step
// an iteration.
//
// Steps are recorded in one order, also those of several threads: one thread
// steps while the others stand still. Only while it waits in the kernel do they
// step, in turns; memory that the kernel may write to meanwhile is left to the
// processor.
//
// # Limits
//
// Records are in a ring with a budget in bytes. The oldest go first. When
// something happens that cannot be recorded, history begins anew behind it;
// [History.Begins] says why.
//
// # Concurrency
//
// A History and its Recorder belong to one goroutine.
package history
