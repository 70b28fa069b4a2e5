// Package guard puts a process right whose debugger is killed in the middle of a
// change.
//
// A debugger that sets int3 instructions, makes system calls in the process or
// replaces its registers and memory starts a guard: the same program, with [Command]
// as its first argument, in which [Main] runs.
//
//	journal, err := guard.NewJournal()
//	g, err := guard.Start(nil, memory, journal, claim)
//	err = g.Remember(address, original) // before the int3 is written
//	err = g.Forget(address)             // after it was taken out
//	g.Close()                           // nothing is left to do
//
// The guard waits until its standard input ends, which is the end of the debugger.
// Then it takes out the int3 instructions that are still in, and does what the
// [Journal] asks for. The journal is memory that both share.
//
// # Threads
//
// The kernel lets all threads go when their tracer is killed. So that they do not run
// on in the middle of a change, the debugger first lets them wait in [RescueCode],
// which it has written to the unused end of the vdso. The guard attaches to each of
// them there, gives it its registers, signal mask and vector state, and detaches.
//
// # Two guards
//
// A process has one guard at a time: [Claim] waits until that of a debugger which was
// killed has finished.
package guard
