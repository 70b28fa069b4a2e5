// Package proc makes a process that is being debugged an object: a Process is
// all its threads, stopped together or running together.
//
//	process, err := proc.Attach(ctx, pid, proc.Options{})
//	if err != nil {
//		return err // ErrNotFound, *PermissionError, ptrace.ErrPlatform
//	}
//	defer process.Detach(ctx)
//	bp, err := process.SetBreakpoint(proc.BreakpointSpec{Address: 0x401000})
//	stop, err := process.Resume(ctx) // until something happens or ctx ends
//	regs, err := process.Regs(stop.Thread)
//
// # Stopped and running
//
// All threads stop when one has something to report. Threads that come later
// belong to it from their first instruction. Children of fork and vfork are
// let go at once, without breakpoints. After exec only the new program's first
// thread is left, and the breakpoints are gone.
//
// While a Resume or a Step is on, every method but Pause, Kill and Detach
// answers ErrRunning. When the process has ended they answer ErrExited.
//
// # Breakpoints
//
// The first four are the processor's, set by perf_event_open: nothing in the
// process changes, and the kernel takes them out when this program dies. More
// of them are int3 instructions, which are in place only while the process
// runs; a guard process puts the bytes back if this program is killed then.
// Watchpoints are always the processor's.
//
// # What holds when this program is killed
//
// A process that was attached to runs on, without breakpoints. Only launched
// programs are killed with us. While there are breakpoints or steps the process
// has a handler of SIGTRAP that does nothing, in case a trap is on its way to it
// at that moment; if we are killed then, it keeps it. Detach puts everything
// back. What does harm is to be killed while the process is made to do a system
// call of ours: at the first breakpoint, step or Written, in Detach, in Inject,
// and when a signal that came in a step is given back; each takes some ten
// microseconds.
// So does a thread that comes to an int3 before the guard has taken it out.
//
// # Concurrency
//
// Methods may be called from any goroutine. They run one after another, those
// that need ptrace on the thread that traces the process; conditions of
// breakpoints and functions given to Step run there too and may call the methods
// that only look. Outside of these, looking at memory, at the thread that stopped
// or again at another one does not take that thread and costs little.
package proc
