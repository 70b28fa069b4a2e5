// Package pcln reads the table that every Go program has of its own
// functions, in section .gopclntab: names, files, lines, what was inlined, and
// how far the stack has grown at each instruction. The runtime needs it for
// panics and for collecting garbage, so that it is there, uncompressed, in
// programs without debug information, too.
//
//	t, err := pcln.Open(pcln.Source{Addr: section.Addr, Module: module, Read: read})
//	f, err := t.Find(pc)
//	calls, err := f.Calls(pc)
//
// All addresses are file addresses. Only the pages with the answer are read.
//
// # Format
//
// The form is that of Go 1.20 and later, whose magic number is 0xfffffff1: the
// header is pcHeader of runtime/symtab.go, the rest is described in
// cmd/link/internal/ld/pcln.go and runtime/symtabinl.go. The address of
// the lists of inlined calls is only in runtime.moduledata. Other versions are an
// error.
//
// # Concurrency
//
// A Table may be used from several goroutines at once, a Function from one.
package pcln
