// Package aoc is the Advent of Code family: puzzle texts from files or from the site,
// and a record of how fast each LLM solved them.
//
// A [Book] is a folder with two others in it: instructions/, which people and programs
// fill with puzzle texts, and speeds/, which [Book.Record] writes. [Book.Year] is the
// book of a year, in a folder of that name. A [User] keeps what one user has
// downloaded. [Config] opens them and makes the table that a server serves.
//
// # Packages
//
//   - race compares models;
//   - internal/site is the client of the site, internal/personal the folder of a user;
//   - sitetest is a small site for tests.
//
// # Files
//
// The texts of a day are Day01_phase1.md and Day01_phase2.md, or else both in
// day01.json; letters may be of either case. New and changed texts show at once. The
// speeds of a day are in speeds/day01.json, newest first. It is replaced as a whole
// under a lock that all processes take, so readers see a whole file and no record is
// lost. A file that cannot be read is never overwritten.
//
// # Concurrency
//
// A Book may be used by several goroutines. While it waits for the lock of another
// process it has a goroutine of its own, which ends when it gets the lock; if the
// caller has given up by then, the lock is released at once.
package aoc
