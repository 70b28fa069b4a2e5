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
// A process that was attached to runs on, without breakpoints. Launched programs
// are killed with this one. The kernel lets the threads go at once, wherever they
// stand, and the guard process then finishes what was begun:
//
//	int3 instructions    the guard takes them out; a thread that comes to one
//	                     before that tries again until it is out
//	a step's SIGTRAP     meets a handler of ours, which returns
//	a call of Inject     ends in a loop; the guard gives the thread back its
//	                     registers, its signal mask and the memory it had lent
//	Stepper.Commit       the threads wait in that loop until the guard has
//	                     written all memory, vectors and registers
//
// The handler and the loop are some ninety bytes at the unused end of the vdso, see
// guard.RescueCode; what the guard has to do is in memory that it shares with us, see
// guard.Journal. Detach puts everything back; a process whose debugger was killed keeps
// the bytes and the handler. A signal that was put off by a step is lost then.
// Nothing of this helps where the system does not let the guard trace the process
// (kernel.yama.ptrace_scope), or where the guard is killed, too.
//
// # Concurrency
//
// Methods may be called from any goroutine, and run one after another. A Process
// has one lock, mu, which is taken before the tracer's thread is; the fields behind
// mu belong to that thread while it has something to do, and else to the holder of
// mu. Conditions of breakpoints and functions given to Step run on the tracer's
// thread, and may call the methods that change nothing.
//
// Methods reach the process through one of these, by what they guarantee:
//
//	                    runs on   process is         mu    cache of threads
//	withoutTracer       caller    stopped            held  kept
//	withStopped         caller    stopped, or ended  held  kept
//	withCachedRegs      caller    stopped            held  filled, read
//	withTracerReadOnly  tracer    stopped            held  kept
//	withTracer          tracer    stopped            held  dropped, filled again
//	withTracerOrEnded   tracer    stopped, or ended  held  dropped
//	withTracerRunning   tracer    made to run by f   free  filled at the end
//
// WithTracer is withTracer for other packages. On the tracer's thread all but the
// last run their function at once, and the last returns ErrRunning.
package proc
