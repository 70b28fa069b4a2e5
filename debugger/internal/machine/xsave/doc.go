// Package xsave knows where the vector registers are in what the XSAVE
// instruction writes, which is also the form in which Linux shows the vector
// state of a process.
//
//	layout := xsave.Machine()
//	layout.Load(state, &vectors)
//	word := layout.Word(xsave.Vector, 17, 3) // of zmm17, the fourth quadword
//
// A register is in up to three places: its xmm part, the rest of its ymm part,
// and the rest of it. Only the first two are where they are on every processor;
// CPUID describes the others. [Of] finds the layout of a state from elsewhere, and
// [Own] converts it.
//
// Two states can mean the same without being equal byte by byte:
// [Layout.Difference] compares what they mean.
package xsave
