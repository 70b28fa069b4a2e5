// Package dwarfregs holds the registers of a thread or frame by their DWARF
// numbers, and which of them are known: outer frames have lost those that no
// function saved.
package dwarfregs
