// Package symbols knows the program behind the addresses: its files, functions,
// lines, global variables and types, as the compiler wrote them into ELF and DWARF.
// It reads files and the memory of a stopped program; it never runs, stops or
// changes one.
//
// A [Program] holds the [Image] of every file that is mapped into a process.
// [Program.Update] is given the process's maps at each stop and opens what is new.
// Nothing else of a file is read before it is needed, so that attaching answers at
// once; [Program.Index] reads the rest in the background.
//
//	p := symbols.New(symbols.Config{Log: log})
//	defer p.Close()
//	p.Update(maps, memory)
//	go p.Index(ctx) // owned by the caller
//
//	f, ok := p.Function(pc)
//	file, line, ok := p.Line(pc)
//
// Addresses are process addresses unless stated otherwise.
//
// # The packages below
//
// Each imports only those above it in this list:
//
//   - cfi, location, pcln, lang, dwarfregs: call frame information, location
//     expressions, Go's function table, languages, registers
//   - elffile: sections and symbols of ELF files
//   - dwarfread: units, functions, scopes and lines
//   - types: types and how they are spelled
//   - setcache: types and debug information that programs share
//   - symbols: this one, the files of a process and what their addresses mean
//   - values: variables and how each language writes them
//   - callstack: frames and their variables
//
// Programs of Go have a table of their functions for the runtime itself (package
// pcln), which names a stack before any debug information is read, and where there
// is none.
//
// # Hostile files
//
// A program under a debugger may have been made to hurt it. Sizes, depths and loops
// are bounded, and debug/elf and debug/dwarf run where a panic becomes an error
// ([elffile.CatchPanic]).
//
// # Concurrency
//
// A Program may be used from several goroutines at once. Locks are taken in this
// order, and none is held while memory of the process is read:
//
//  1. Program.mu: the list of images
//  2. Image.infoMu: opening debug information
//  3. Image.mu: files, symbols and frame tables of an image
//  4. the lock of a setcache.Cache
//  5. the lock of a dwarfread.Early
//  6. the lock of a dwarfread.Info
//
// The cache of sites has a lock of its own, under which no other is taken.
package symbols
