// Package sysv places the arguments of a function and takes its result, by the System V
// ABI for amd64 (section 3.2.3).
//
//	a := sysv.Arguments{Results: classes}
//	a.Add(sysv.Argument{Data: bytes, Float: true})
//	a.Place(&regs, vector) // registers
//	a.Stack                // what lies above the return address
//
// Arguments are integers, pointers and floating-point numbers of at most eight bytes.
// Results may be structs, too.
package sysv
