// Package machine holds the packages that know instructions and processors. They ask
// nothing of an operating system.
//
//	x86        instructions: their texts, operands and effects
//	interp     executes them
//	translate  translates blocks of them into code that counts
//	codecache  the translations of a process
//	xsave      extended state, by the layout of a processor
//	cpuid      what the processor says of itself
package machine
