// Package elffile reads ELF files: sections, symbols, segments, and the separate
// file that debug information was moved to.
//
// It adds to debug/elf what a debugger needs beyond it: compressed sections of the
// old GNU form, files that are only mapped into a process, the names of functions
// demangled, and protection against files that were made to hurt.
//
//	f := elffile.OpenPath("/bin/true")
//	defer f.Close()
//	table := elffile.ReadSymbols(nil, f)
//	main, ok := table.At(0x1139, true)
//
// # Hostile files
//
// debug/elf and debug/dwarf may panic on damaged input. [CatchPanic] turns that
// into an error; it is the only place of the debugger that recovers. No section of
// more than [MaxSection] bytes is read, and a [Reader] takes the memory of a section before it
// reads it: compressed sections, sparse files and false sizes make small files large.
//
// # Concurrency
//
// A File and a SymbolTable do not change once they are open, and may be used from
// several goroutines.
package elffile
