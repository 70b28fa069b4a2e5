package history

import (
	"encoding/binary"
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// regOrder lists the words of [ptrace.Regs] in the order of the bits of a
// record's mask. Registers that change often come first to keep the mask short.
var regOrder = [ptrace.NumRegs]uint8{
	16, 18, 19, // rip, eflags, rsp
	10, 12, 11, 14, 13, 5, 4, // rax, rdx, rcx, rdi, rsi, rbx, rbp
	9, 8, 7, 6, 3, 2, 1, 0, // r8 to r15
	15, 21, 22, 17, 20, 23, 24, 25, 26, // orig_rax, fs_base, gs_base, segments
}

// zigzag encodes a signed number so that small magnitudes have short varints, as
// protocol buffers do.
func zigzag(d uint64) uint64 { return d<<1 ^ uint64(int64(d)>>63) }

func unzigzag(z uint64) uint64 { return z>>1 ^ -(z & 1) }

// appendRegs appends the difference between two sets of registers: a mask of
// those that differ and the zigzag-encoded difference of each.
func appendRegs(b []byte, from, to *ptrace.Regs) []byte {
	f, t := from.Words(), to.Words()
	var mask uint64
	var diffs [ptrace.NumRegs]uint64
	n := 0
	for bit, word := range regOrder {
		if d := t[word] - f[word]; d != 0 {
			mask |= 1 << bit
			diffs[n] = d
			n++
		}
	}
	b = binary.AppendUvarint(b, mask)
	for _, d := range diffs[:n] {
		b = binary.AppendUvarint(b, zigzag(d))
	}
	return b
}

// gprBits are the bits of a record's mask by the numbers of general registers.
var gprBits = [16]uint8{3, 5, 4, 8, 2, 9, 7, 6, 10, 11, 12, 13, 14, 15, 16, 17}

// Bits of a record's mask for rip and eflags.
const (
	bitRIP   = 0
	bitFlags = 1
)

// appendStep appends the difference as appendRegs does, for the registers that
// the machine's last step may have changed, and updates words.
func (p *interpreter) appendStep(b []byte, words *[ptrace.NumRegs]uint64) []byte {
	mask := p.change(words, bitRIP, p.machine.RIP) | p.change(words, bitFlags, p.machine.Flags)
	for changed := p.machine.Changed(); changed != 0; changed &= changed - 1 {
		n := bits.TrailingZeros32(changed) & 15
		mask |= p.change(words, gprBits[n], p.machine.GPR[n])
	}
	b = binary.AppendUvarint(b, mask)
	for ; mask != 0; mask &= mask - 1 {
		if z := p.diffs[bits.TrailingZeros64(mask)&31]; z < 0x80 { // most are
			b = append(b, byte(z))
		} else {
			b = binary.AppendUvarint(b, z)
		}
	}
	return b
}

// change updates a register and stores its encoded difference. It returns the
// bit of the register in the record's mask, or 0 if the value is the same.
func (p *interpreter) change(words *[ptrace.NumRegs]uint64, bit uint8, value uint64) uint64 {
	word := &words[regOrder[bit]]
	diff := value - *word
	if diff == 0 {
		return 0
	}
	p.diffs[bit&31] = zigzag(diff)
	*word = value
	return 1 << bit
}

// moveRegs reads a difference of registers and applies or undoes it.
func (d *decoder) moveRegs(r *ptrace.Regs, back bool) {
	words := r.Words()
	for mask := d.uvarint() & (1<<ptrace.NumRegs - 1); mask != 0; mask &= mask - 1 {
		diff := unzigzag(d.uvarint())
		if back {
			diff = -diff
		}
		words[regOrder[bits.TrailingZeros64(mask)]] += diff
	}
}

// skipRegs skips a difference of registers.
func (d *decoder) skipRegs() {
	for mask := d.uvarint() & (1<<ptrace.NumRegs - 1); mask != 0; mask &= mask - 1 {
		d.uvarint()
	}
}

// Addressing copies to "to" the registers that effective addresses use.
func Addressing(r *ptrace.Regs, to *x86.Regs) {
	to.GPR = [16]uint64{
		r.RAX, r.RCX, r.RDX, r.RBX, r.RSP, r.RBP, r.RSI, r.RDI,
		r.R8, r.R9, r.R10, r.R11, r.R12, r.R13, r.R14, r.R15,
	}
	to.Flags, to.FSBase, to.GSBase = r.EFlags, r.FSBase, r.GSBase
}
