// Package codecache holds the translation of a program: blocks of package translate,
// placed in arenas of memory, found by the address of the original, and connected
// with each other.
//
//	cache := codecache.New(codecache.Config{Fetch: fetch, Arena: arena, Targets: targets})
//	address, err := cache.Enter(pc) // where the process continues instead of at pc
//	…                               // it runs until an exit
//	exit, err := cache.Exit(number)
//
// The arenas are memory that this program writes and that the traced process
// executes. A block may be connected with blocks of other arenas, which can be
// anywhere.
//
// # Ahead of the program
//
// Leaving the cache costs as much as thousands of instructions. So Enter translates
// not one block but up to 16 that can be reached from it by direct branches, and those behind
// its calls, to which functions will return: the nearest first, which the program is most likely
// to need.
//
// # Changed code
//
// A Cache does not notice that the program's code has changed, except that of
// Config.Variable, which its blocks compare: see [Cache.Changed]. [Cache.Clear] forgets
// everything.
//
// # Concurrency
//
// A Cache belongs to one goroutine. Its methods change code and tables that the
// process uses, which must be stopped outside of them.
package codecache
