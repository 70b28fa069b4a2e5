// Package inspect reads a target with the symbols of its program: frames,
// variables, registers, expressions and instructions.
//
// An [Inspector] changes nothing. It reads the position that the view of its
// target shows, and belongs to one goroutine at a time.
package inspect
