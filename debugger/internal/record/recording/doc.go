// Package recording records whole runs of programs.
//
//	result, err := recording.Record(ctx, recording.Program{Path: path, Args: args}, file)
//
// Package recfile is the format of the file, package replay replays it.
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
package recording
