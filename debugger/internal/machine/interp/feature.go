package interp

import (
	"sync"

	"golang.org/x/sys/cpu"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/cpuid"
)

// A feature is a set of extensions that processors may have.
type feature uint64

const (
	sse3 feature = 1 << iota
	ssse3
	sse41
	sse42
	avx
	avx2
	fma
	avx512f
	avx512bw
	avx512dq
	avx512vl
	avx512cd
	avx512vbmi
	avx512vbmi2
	avx512popcnt
	avx512bitalg
	bmi1
	bmi2
	adx
	popcnt
	lzcnt
	movbe
	aesni
	vaes
	pclmul
	vpclmul
	sha
	gfni
)

// machineFeatures returns the features of this processor. The traced process runs
// on it, so an instruction that it lacks raises an exception.
var machineFeatures = sync.OnceValue(func() feature {
	x := &cpu.X86
	basic, more, newer := cpuid.Leaf(1, 0), cpuid.Leaf(7, 0), cpuid.Leaf(0x80000001, 0)
	found := feature(0)
	for _, f := range []struct {
		has bool
		is  feature
	}{
		{x.HasSSE3, sse3},
		{x.HasSSSE3, ssse3},
		{x.HasSSE41, sse41},
		{x.HasSSE42, sse42},
		{x.HasAVX, avx},
		{x.HasAVX2, avx2},
		{x.HasFMA, fma},
		{x.HasAVX512F, avx512f},
		{x.HasAVX512BW, avx512bw},
		{x.HasAVX512DQ, avx512dq},
		{x.HasAVX512VL, avx512vl},
		{x.HasAVX512CD, avx512cd},
		{x.HasAVX512VBMI, avx512vbmi},
		{x.HasAVX512VBMI2, avx512vbmi2},
		{x.HasAVX512VPOPCNTDQ, avx512popcnt},
		{x.HasAVX512BITALG, avx512bitalg},
		{x.HasBMI1, bmi1},
		{x.HasBMI2, bmi2},
		{x.HasADX, adx},
		{x.HasPOPCNT, popcnt},
		{newer.ECX>>5&1 != 0, lzcnt},
		{basic.ECX>>22&1 != 0, movbe},
		{x.HasAES, aesni},
		{x.HasAVX512VAES, vaes},
		{x.HasPCLMULQDQ, pclmul},
		{x.HasAVX512VPCLMULQDQ, vpclmul},
		{more.EBX>>29&1 != 0, sha},
		{more.ECX>>8&1 != 0, gfni},
	} {
		if f.has {
			found |= f.is
		}
	}
	return found
})
