// Package proc controls a process that is being debugged. A Process is all its
// threads, which stop together and run together.
//
//	process, err := proc.Attach(ctx, pid, proc.Options{})
//	if err != nil {
//		return err // ErrNotFound, *PermissionError, ptrace.ErrPlatform
//	}
//	defer process.Detach(ctx)
//	bp, err := process.SetBreakpoint(proc.BreakpointSpec{Address: 0x401000})
//	stop, err := process.Resume(ctx) // until a stop, or ctx is done
//	regs, err := process.Regs(stop.Thread)
//
// # Stopped and running
//
// All threads stop when one of them has a stop to report. New threads are traced
// from their first instruction. Children of fork and vfork are detached from at
// once, without breakpoints, unless SetFollow says otherwise. After exec only the new program's first thread is
// left, and the breakpoints are gone; package stepping sets those with names again.
//
// During a Resume or Step, every method except Pause, Kill and Detach returns
// ErrRunning. After the end of the process they return ErrExited.
//
// # Breakpoints
//
// The first four use the debug registers, set by perf_event_open(2): the process
// is unchanged, and the kernel removes them when this program dies. Further ones
// are int3 instructions, inserted only while the process runs; a guard process
// restores the bytes if this program is killed then. Watchpoints always use the
// debug registers.
//
// # If this program is killed
//
// A process that was attached to continues without breakpoints. Launched
// programs are killed with this one. The kernel detaches from the threads at
// once, wherever they are, and the guard process completes what was in progress:
//
//	int3 instructions    the guard removes them; a thread that reaches one
//	                     before that retries until it is removed
//	a step's SIGTRAP     is handled by a handler of ours, which returns
//	a call of Inject     ends in a loop; the guard restores the registers of the
//	                     thread, its signal mask and the memory that was borrowed
//	a call of Call       the function returns into that loop; if it does not, the guard
//	                     restores the thread after a while
//	Stepper.Commit       the threads wait in that loop until the guard has
//	                     written all memory, vectors and registers
//
// The handler and the loop are some ninety bytes at the unused end of the vdso, see
// guard.RescueCode. The guard reads its work from shared memory, see guard.Journal.
// Detach restores everything; a process whose debugger was killed keeps the bytes
// and the handler, and loses a signal that a step has deferred. None of this works
// where the system does not permit the guard to trace the process
// (kernel.yama.ptrace_scope), or if the guard is killed too.
//
// # Parts
//
// The methods of Process are the entry points. The work is done by its parts, each of
// which uses only those above it:
//
//	tracee       ids, memory, options; whether the process has ended
//	queue        events that arrived while another one was handled
//	cache, code  registers of stopped threads; pages of code
//	threads      the threads, with their signals, signal masks and reports
//	rescue       the guard and the rescue code; changes that survive a kill
//	injection    system calls that threads are made to execute
//	traps        the handler of SIGTRAP
//	breakpoints  the breakpoints: inserted, removed, hit
//	syscalls     stops at system calls
//	writes       pages that were written
//	children     children that are announced, followed or left
//	events       what an event changes
//	execution    running the threads, stepping over breakpoints, stopping all
//	access       the calls, one after another, while the process is stopped or to run it
//
// # Concurrency
//
// Methods may be called from any goroutine, and run one after another. A Process
// has one lock, that of access, which is taken before a call to the tracer's thread. The other parts
// belong to that thread while it runs a call, and otherwise to the holder of the lock.
// Conditions of breakpoints and functions given to Step run on the tracer's thread,
// and may call the methods that only read.
//
// Methods go through one of these of access, whose lock is mu:
//
//	                    runs on   process is         mu    cache of threads
//	withoutTracer       caller    stopped            held  kept
//	withStopped         caller    stopped, or ended  held  kept
//	withCachedRegs      caller    stopped            held  filled, read
//	withTracerReadOnly  tracer    stopped            held  kept
//	withTracer          tracer    stopped            held  dropped, filled again
//	withTracerOrEnded   tracer    stopped, or ended  held  dropped
//	withTracerRunning   tracer    run by f            free  filled at the end
//
// WithTracer is withTracer for other packages. Called on the tracer's thread, all
// but the last run their function directly, and the last returns ErrRunning.
package proc
