// Package dwarfread reads the debug information of one ELF file: its units,
// functions, scopes, variables and line tables. Package types turns its entries
// into types.
//
// [Open] reads only the headers of the units. Each unit is read when something of
// it is first needed; [Info.LoadAll] reads the rest. Addresses are
// file addresses.
//
//	info, err := dwarfread.Open(file, log)
//	err = info.Do(func() error {
//		function, levels, err := info.LevelsLocked(pc)
//		…
//	})
//
// # One unit before the others
//
// The debug information of a large library takes a tenth of a second to
// decompress, and a stack needs a few of its units. [Early] reads single units,
// with the sections decompressed only as far as the unit reaches. It knows nothing
// of types that other units describe, so its results serve for names and lines
// alone.
//
// # Concurrency
//
// An Info has one lock, because debug/dwarf is not safe for concurrent use. [Info.Do]
// holds it and turns a panic of debug/dwarf into an error. Names that end in Locked
// must be called within Do; all others take the lock themselves and must not be. No
// other lock is taken while it is held.
package dwarfread
