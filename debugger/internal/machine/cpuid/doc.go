// Package cpuid asks the processor that this program runs on what it is.
//
//	if cpuid.Leaf(7, 0).EBX>>29&1 != 0 { … } // it has instructions for SHA
//
// On processors other than x86 all answers are zero.
package cpuid
