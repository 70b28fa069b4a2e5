// Package inplace executes the traced threads of a process translated, in place: with their
// own registers, stacks and memory, in a cache of code that this program writes and the
// process executes. Instructions are counted exactly, and a thread stops at any
// count.
//
//	runner, err := inplace.New(tracer, tid)
//	for {
//		stop, err := runner.Run(ctx, 1_000_000) // instructions
//		switch stop.Kind {
//		case inplace.Call: // before a system call
//			stop, err = runner.Execute()
//		case inplace.Native: // before cpuid, rdtsc, …
//			stop, err = runner.Step(ctx)
//		case inplace.Signal:
//			stop, err = runner.Deliver()
//		}
//	}
//
// Between the calls, [Runner.Regs] are the program's registers, as if nothing had been
// translated. Only flags that the program overwrites before it reads them are 0 (see
// translate.DeadFlags).
//
// Package recording records whole programs with it: it logs the results of system calls and
// of instructions like rdtsc between the calls of Run. In its replays [Runner.Replays] is
// set, and the kernel makes no system call of the program.
//
// # What the process has
//
// A Runner maps memory into the process: the code cache (readable and executable), a
// context and a table (writable), and tables (readable). It is a memfd of which this program has a
// writable mapping; no mapping of the process is both writable and executable.
//
// The cache is left by a system call without effect. The kernel stops the thread
// there. The same request that stops the thread there stops it at the system calls of the
// program: PTRACE_SYSCALL after a call that has returned, so that the next call has two
// stops, and else PTRACE_SYSEMU, so that an exit has one.
//
// After [CallBuffer.Use] a seccomp filter of the process reports exits, and the thread
// continues by PTRACE_CONT. Code in the cache then makes frequent system calls without a stop,
// and records registers, result and written bytes in a buffer, of which [CallBuffer.Made] gets
// the calls. The filter cannot be removed. Without a tracer the call of an exit fails, as it
// may, and nothing else is changed.
//
// Threads that wait for private futexes may then wait in the cache, see [Turns.Wait], and
// pass the turn to execute instructions to each other without a stop. So [Runner.Run] may
// return with another current thread. A thread that has waited in the cache for ten
// milliseconds stops, or without a tracer continues in its own code.
//
// If this program dies while
// translated code runs, the kernel detaches, and after its next exit or system call,
// which it makes from the cache, the thread continues in its own code. Instructions like
// cpuid and rdtsc are executed there, too. A program of which another one is just being
// stepped (popf, int3, a segment load) gets a SIGTRAP, as under any tracer, see package
// proc for what can be done about that.
//
// # Limits
//
// [New] takes a process with one thread. Threads that it starts become threads of the
// Runner. One of them, the current one, executes instructions, while the others are
// stopped or wait in the kernel. [Runner.Switch] makes another one the current one.
// Processes that share all memory are refused with [ErrThreads], except those of vfork.
// Children that have memory of their own, and those of vfork, run on their own,
// untranslated.
//
// [Runner.Run] ends when its context does. [Runner.Execute] does not end before the
// system call, nor [Runner.Step] before the instruction, except between the iterations of a
// repeated string operation. A signal ends most system calls that wait.
//
// Translations are made again after system calls that map, protect or discard memory.
// Other changes of code that is not writable are not noticed: by writes to the file of a private mapping,
// through /proc/PID/mem, and by children of vfork. See [Runner.Forget]. [Runner.Keep] keeps
// translations for the next Runner, which compares all code that they are made of.
//
// After [Runner.Learn], the Runner translates at once what earlier runs have executed of a file, see [Entries].
//
// A child shares the context with its parent. If this program has died, and a handler
// forks before the thread has left the cache, the two disturb each other there.
//
// Code in memory that is writable is compared with its translation whenever a block of it
// begins: after a jump. A change that reaches the processor earlier, of one of the next
// instructions without a jump between, is not noticed. Code that other processes may write
// is not translated: every instruction of it is a stop of kind [Native]. A single step of
// the processor raises SIGTRAP; a program that ignores this signal gets its default
// action back.
//
// # Concurrency
//
// All methods must be called on the tracer's thread, see ptrace.Tracer.
package inplace
