// Package dwarfregs holds the registers of a thread or frame by their DWARF
// numbers, and which of them are known: a frame further out has lost those that
// nobody saved.
package dwarfregs
