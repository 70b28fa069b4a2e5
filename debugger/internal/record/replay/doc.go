// Package replay replays recordings of whole programs.
//
//	r, err := recfile.Read(file, nil)
//	player, err := replay.NewPlayer(tracer, r)
//	err = player.RunTo(ctx, 1_000_000)
//	regs := player.Regs() // as they were after a million instructions
//
//	timeline, err := replay.NewTimeline(ctx, r)
//	past := timeline.History() // in both directions
//
// A replay builds a process with the memory and registers of the recorded one, at the
// same addresses. It makes no system call of the program, except changes of its own
// mappings. Nothing is read from the system but the files that the program had mapped, which
// must still be the same (see [recfile.File]), unless the recording has their contents: see
// [recfile.Pack]. They are mapped from files in memory then. At each input the registers are compared
// with those of the recorded run; if they differ, the error is a *[DivergenceError].
//
// A [Timeline] is a recording as history.Past: a process that replays it, forks of that as
// checkpoints, and windows of records, which the interpreter makes from the nearest checkpoint on.
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
//
// # Tests
//
// The tests of package recording replay what they have recorded.
package replay
