package inplace_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// Code of which the parts meet by the low 16 bits of their addresses: it is the same at all of
// places. So it is at the addresses that nowhere and invalid add, but there is no code, and no
// such address.
const (
	hops    = 12
	hopSize = 64
	nowhere = 8 << 32
	invalid = 1 << 47
)

var places = slices.Concat(codeSegments, []uint64{jitAt})

// hop makes up code that reads and changes flags, and goes on to the next hop, at a place that
// one of the registers r12, r13 and r14 chooses.
func hop(rng *rand.Rand, next uint64) []byte {
	choose := func(list ...[]byte) []byte { return list[rng.IntN(len(list))] }
	return slices.Concat(
		[]byte{0x48, 0x11, 0xd3}, // adc rbx, rdx
		choose(nil, nil, []byte{0x4d, 0x87, 0xec}, []byte{0x4d, 0x87, 0xee}),                      // xchg r12, r13; xchg r14, r13
		binary.LittleEndian.AppendUint64([]byte{0x48, 0xb8}, next),                                // mov rax, next
		choose([]byte{0x4c, 0x01, 0xe0}, []byte{0x4c, 0x01, 0xe8}, []byte{0x4c, 0x01, 0xf0}),      // add rax, r12, r13 or r14
		choose(nil, []byte{0x48, 0x39, 0xd3}, []byte{0x48, 0x85, 0xc0}, []byte{0x48, 0x29, 0xd3}), // cmp rbx, rdx; test rax, rax; sub rbx, rdx
		choose(
			[]byte{0xff, 0xe0},                                           // jmp rax
			[]byte{0x49, 0x89, 0xc3, 0x41, 0xff, 0xe3},                   // mov r11, rax; jmp r11
			[]byte{0x50, 0xc3},                                           // push rax; ret
			[]byte{0x50, 0xc2, 0x10, 0},                                  // push rax; ret 16
			[]byte{0x50, 0xff, 0x24, 0x24},                               // push rax; jmp [rsp]
			[]byte{0xff, 0xd0},                                           // call rax
			[]byte{0x48, 0x89, 0x44, 0x24, 0xe0, 0xff, 0x54, 0x24, 0xe0}, // mov [rsp-32], rax; call [rsp-32]
		),
	)
}

// TestArrivals executes jumps and returns to addresses that have the low bits of others, where
// code is or not, translated and in single steps, for all processors.
func TestArrivals(t *testing.T) {
	for _, loop := range []bool{false, true} {
		t.Run(fmt.Sprintf("loop=%v", loop), func(t *testing.T) {
			t.Cleanup(inplace.Loop(loop))
			testArrivals(t)
		})
	}
}

func testArrivals(t *testing.T) {
	const rounds, runs, most = 5, 12, 300
	newDuel(t, 3, func(d *duel) {
		d.most = most
		for range rounds {
			code := make([]byte, hops*hopSize)
			for n := range hops {
				copy(code[n*hopSize:], hop(d.rng, codeAt+uint64((n+1)%hops*hopSize)))
			}
			for _, at := range places {
				d.write(d.memory, at, code)
				d.write(d.runner.Memory(), at, code)
			}
			d.runner.Forget()
			for n := range runs {
				regs := d.registers(codeAt)
				for n, p := range d.rng.Perm(len(places))[:3] {
					*[]*uint64{&regs.R12, &regs.R13, &regs.R14}[n] = places[p] - codeAt
				}
				switch {
				case n%3 == 1: // the first hop leads to the address 0
					regs.R12 = -(regs.RIP + hopSize)
					regs.R13, regs.R14 = regs.R12, regs.R12
				case n%3 == 2:
					regs.R13 = []uint64{nowhere, invalid}[d.rng.IntN(2)]
				}
				d.run(code, regs)
			}
		}
		t.Logf("%d instructions executed, signals: %v", d.executed, d.signals)
		if d.executed < rounds*runs*60 || d.signals[syscall.SIGSEGV] < rounds {
			t.Errorf("%d instructions were executed, signals: %v", d.executed, d.signals)
		}
	})
}
