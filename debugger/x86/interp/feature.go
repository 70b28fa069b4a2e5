package interp

import (
	"sync"

	"golang.org/x/sys/cpu"
)

// A feature is a set of extensions that processors may have.
type feature uint32

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
	avx512vbmi
	avx512cd
	bmi1
	bmi2
	adx
	popcnt
	aesni
	vaes
	pclmul
	vpclmul
)

// machineFeatures returns what this processor has, which is the one that the
// process runs on: an instruction that it does not have raises an exception.
var machineFeatures = sync.OnceValue(func() feature {
	x := &cpu.X86
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
		{x.HasAVX512VBMI, avx512vbmi},
		{x.HasAVX512CD, avx512cd},
		{x.HasBMI1, bmi1},
		{x.HasBMI2, bmi2},
		{x.HasADX, adx},
		{x.HasPOPCNT, popcnt},
		{x.HasAES, aesni},
		{x.HasAVX512VAES, vaes},
		{x.HasPCLMULQDQ, pclmul},
		{x.HasAVX512VPCLMULQDQ, vpclmul},
	} {
		if f.has {
			found |= f.is
		}
	}
	return found
})
