// Package dwarfread reads the debug information of one ELF file: its units,
// functions, scopes, variables and line tables. Package types turns its entries
// into types.
//
// [Open] reads only the headers of the units. Each unit is read on first use;
// [Info.LoadAll] reads the rest. Addresses are addresses of the file, without the
// load bias.
//
//	info, err := dwarfread.Open(file, log)
//	err = info.Do(func() error {
//		function, levels, err := info.LevelsLocked(pc)
//		…
//	})
//
// # Single units
//
// Decompressing the debug information of a large library takes a tenth of a
// second, and a call stack needs only a few of its units. [Early] reads single
// units and decompresses the sections only as far as a unit reaches. It cannot
// resolve types that other units describe, so use it for names and lines only.
//
// # Concurrency
//
// An Info has one lock, because debug/dwarf is not safe for concurrent use.
// [Info.Do] holds it and turns a panic of debug/dwarf into an error. Functions
// whose names end in Locked must be called within Do; all others acquire the lock
// themselves and must not be. No other lock is acquired while it is held.
package dwarfread
