// Package aoc is the Advent of Code family: puzzle texts from files, and a
// record of how fast each LLM solved them.
//
// A [Book] is a folder with two others in it: instructions/, which people and
// programs fill with puzzle texts, and speeds/, which [Book.Record] writes. New
// and changed texts show at once; nothing is cached. [Config] opens a Book and
// makes the table that a server serves.
//
// # Files
//
// The texts of a day are Day01_phase1.md and Day01_phase2.md, or else both in
// day01.json; letters may be of either case. The speeds of a day are in
// speeds/day01.json, newest first. It is replaced as a whole under a lock that
// all processes take, so nobody sees half a file and nothing is lost. A file that
// cannot be read is never overwritten.
//
// # Concurrency
//
// A Book may be used from any goroutine. It has one of its own while it waits for
// another process to write, which ends when that process is done: where nobody
// wants the lock any more, it is let go again.
package aoc
