// Package symbols knows the program behind the addresses: its functions, lines,
// stack frames, variables and types, as the compiler wrote them into ELF and
// DWARF. It reads files and the memory of a stopped program; it never runs,
// stops or changes one.
//
// A [Program] holds the [Image] of every file that is mapped into a process.
// [Program.Update] is given the process's maps at each stop and opens what is
// new. Nothing else of a file is read until somebody asks about it, so that
// attaching answers at once; [Program.Index] reads the rest in the background.
//
//	p := symbols.New(symbols.Config{Log: log})
//	defer p.Close()
//	p.Update(maps, memory)
//	go p.Index(ctx) // owned by the caller
//
//	frames, err := symbols.Unwind(p, regs, memory, 20)
//	for _, f := range frames {
//		fmt.Println(f)
//	}
//	vars := frames[0].Variables()
//	fmt.Println(vars[0].Value(symbols.DefaultLimits))
//
// Addresses are those of the process unless a name says otherwise.
//
// Programs of Go have a table of their functions for the runtime itself (package
// pcln), which names a stack before any debug information is read, and where
// there is none.
//
// # What is unknown
//
// What the compiler optimized out, what nobody saved and what cannot be read is
// said ([ErrOptimizedOut], [ErrUnavailable], or in angle brackets in a text)
// and never guessed. A frame found without call frame information has
// [Frame.Guessed] set.
//
// # Hostile files
//
// A program under a debugger may have been made to hurt it. Sizes, depths and
// loops are bounded, and debug/elf and debug/dwarf run where a panic becomes an
// error.
//
// # Concurrency
//
// A Program may be used from several goroutines at once. Frames and objects
// read the memory they were made with, and are good until the program runs on.
// Locks are taken in the order Program, Image, debug information; none is held
// while memory of the process is read.
package symbols
