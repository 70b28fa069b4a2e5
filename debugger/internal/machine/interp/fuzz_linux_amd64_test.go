package interp_test

import (
	"math/rand/v2"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// FuzzVectors executes an instruction on vectors from states that the seed makes
// up, in a Machine and on the processor.
func FuzzVectors(f *testing.F) {
	f.Add([]byte{0xf2, 0x0f, 0x59, 0xc1}, uint64(1))                         // mulsd xmm0, xmm1
	f.Add([]byte{0xc5, 0xfd, 0x74, 0xca}, uint64(2))                         // vpcmpeqb ymm1, ymm0, ymm2
	f.Add([]byte{0x62, 0xf3, 0x7d, 0x49, 0x3f, 0xca, 0x01}, uint64(3))       // vpcmpltb k1{k1}, zmm0, zmm2
	f.Add([]byte{0xc4, 0xe2, 0xf1, 0x98, 0xc2}, uint64(4))                   // vfmadd132pd xmm0, xmm1, xmm2
	f.Add([]byte{0x62, 0xf1, 0xfe, 0x2a, 0x7f, 0x06}, uint64(5))             // vmovdqu64 [rsi]{k2}, ymm0
	f.Add([]byte{0x66, 0x0f, 0x3a, 0x0f, 0x06, 0x05}, uint64(6))             // palignr xmm0, [rsi], 5
	f.Add([]byte{0x62, 0xf3, 0x75, 0x58, 0x25, 0x45, 0x01, 0xe8}, uint64(7)) // vpternlogd with a broadcast
	f.Fuzz(func(t *testing.T, code []byte, seed uint64) {
		v := newVectorDuel(t)
		v.rng = rand.New(rand.NewPCG(seed, 7))
		padded := make([]byte, x86.MaxLen)
		copy(padded, code)
		for range 8 {
			v.tryVector(padded)
		}
	})
}
