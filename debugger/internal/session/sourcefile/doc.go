// Package sourcefile reads lines of source files.
//
// A [Cache] has one file and belongs to one goroutine.
package sourcefile
