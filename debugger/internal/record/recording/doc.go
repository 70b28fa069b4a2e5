// Package recording records whole runs of programs, and replays them.
//
//	result, err := recording.Record(ctx, recording.Program{Path: path, Args: args}, file)
//
//	r, err := recfile.Read(file, nil)
//	player, err := recording.NewPlayer(tracer, r)
//	err = player.RunTo(ctx, 1_000_000)
//	regs := player.Regs() // as they were after a million instructions
//
// A program's registers and memory determine what it does until it learns something
// from outside. So a recording has the first state of the program and its inputs: the
// results of system calls and what they have written, signals, and the results of
// instructions like rdtsc. Package inplace runs the program between them, when it is
// recorded and when it is replayed, and counts its instructions.
//
// # Positions
//
// A position is a number of instructions, delivered signals, and switches and ends of
// threads since the program began.
// A repeated string operation is one instruction, and so is a system call that the
// kernel restarts, each time. Position n is the state before instruction n.
//
// # Replay
//
// A replay builds a process with the memory and registers of the recorded one, at the
// same addresses. It makes no system call of the program, except changes of its own
// mappings. Nothing is read from the system but the files that the program had mapped, which
// must still be the same (see [recfile.File]), unless the recording has their contents: see
// [recfile.Pack]. They are mapped from files in memory then. At each input the registers are compared
// with those of the recorded run; if they differ, the error is a *[DivergenceError].
//
// # Threads
//
// One thread executes instructions at a time. It is switched for another one after a random
// number of instructions, see scheduler.go, or when it waits in the kernel, at a position that is
// recorded. So a replay needs one thread, which gets the registers of another one of the
// program at each switch.
//
// The kernel writes the results of system calls while no thread executes instructions:
// before another thread runs, a call that waits and may write memory is interrupted, and
// made again later. The recorder needs no memory of its own in the program for that. If it
// is killed, all calls write where the program expects it.
//
// # Processes that run already
//
// [Attach] begins with the state of all threads of a process. Threads that wait in the
// kernel are interrupted, and make their system calls again, as after a signal without a
// handler. What the kernel would write at any time is taken away until the end of the
// recording: rseq areas are unregistered, those of new threads only noted, and the functions of
// the vdso, which read memory that the kernel writes, jump to code that makes system calls. A
// process that shares memory which it may write with others is refused, because what they do to
// it is not recorded.
//
// # Processes of a debugger
//
// [Past.Record] records a process that a debugger has stopped, from there to the next stop
// ([Stretch]), and gives it back in its own code. Each recording is a [Part] with positions
// that go on from those before; between them are the records of the debugger's steps. A Part
// is replayed when it is first read. Only some Parts keep their processes.
//
// # The newest part
//
// A [recfile.Ring] is a file that drops the oldest part of a recording. It consists of segments. A segment
// begins with the state of the program where all threads are outside of the kernel. The state is
// that of a replay, so that a replay which begins there goes on like one from before it.
//
// # Limits
//
// The children of a program run unrecorded, or are recorded by a recorder of their own,
// see [Program]. An exec
// begins another program in the same recording. A recording ends before the program
// when the program
//
//   - would share memory with a child;
//   - maps a file in shared memory that it may write while others may write it, too, or maps
//     System V shared memory;
//   - maps much at once of a file that a replay may not find, or memory twice or in unusual
//     ways;
//   - restricts its system calls (seccomp), changes segments, or traces others;
//   - makes a system call in another way than by the instruction syscall;
//   - makes a system call of unknown effect that changes mappings, or that is interrupted
//     after it has written, or has more than a gigabyte that the call may have written;
//   - has a gigabyte of memory in one piece when it begins, or makes a system call that may
//     write as much.
//
// System calls after which the kernel writes memory at any time (rseq, io_uring_setup,
// io_setup, userfaultfd) fail with ENOSYS. The vdso is hidden from the program, which
// then reads clocks by system calls. MADV_FREE is made MADV_DONTNEED. The program has
// one processor. Signals that would stop it are dropped.
//
// A file in shared memory is replayed as private memory, see sharedfiles_linux_amd64.go.
// A replay diverges when another process, or the program itself by write(2), has changed
// a file that the program had mapped, and when a child of vfork has changed memory that
// is not writable.
//
// # Files of others
//
// Everything that comes from a file is checked before it is used. A replay executes code
// from the file, in a process that has /dev/null as its only open file and is killed with
// this one. While that code runs, the kernel makes none of its system calls, however they
// are made (PTRACE_SYSEMU, PTRACE_SYSEMU_SINGLESTEP). The calls that change its mappings are
// made at an address in the vdso, whose memory and mapping a file cannot change, and a call
// that is not the one that was to be made there is skipped. So the code can use the
// processor and memory, up to limits whose error is a *[LimitError], and nothing else.
//
// The files of the table are opened for reading and compared with their digests: an error
// says whether such a file exists and has these contents.
package recording
