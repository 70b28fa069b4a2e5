// Package history records what a process does, instruction by instruction, and
// goes back.
//
//	recorder := history.New(process, history.Options{})
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
// signals; memory that others write through shared mappings; memory that the
// kernel writes by itself (see [proc.Process.Rseq]).
//
// # Limits
//
// Records are in a ring with a budget in bytes. The oldest go first. When
// something happens that cannot be recorded, history begins anew behind it;
// [History.Begins] says why. It is never wrong instead.
//
// # Concurrency
//
// A History and its Recorder belong to one goroutine.
package history
