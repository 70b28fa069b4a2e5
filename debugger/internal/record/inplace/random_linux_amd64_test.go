package inplace_test

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// randomCode makes up a run of up to 40 instructions.
func (d *duel) randomCode() []byte {
	var code []byte
	for range 1 + d.rng.IntN(40) {
		code = append(code, d.instruction(len(code))...)
	}
	return code
}

// instruction makes up an instruction at an offset in the code.
func (d *duel) instruction(offset int) []byte {
	if d.changes && d.rng.IntN(6) == 0 {
		return d.change(offset)
	}
	switch d.rng.IntN(12) {
	case 0:
		return d.branch(offset)
	case 1:
		return d.relative(offset)
	case 2:
		return []byte{0x50 | byte(d.rng.IntN(16))} // push, pop
	case 3:
		return []byte{[]byte{0xc3, 0xff, 0xff, 0xe2, 0xe3}[d.rng.IntN(5)], 0xc0 | byte(d.rng.IntN(64))}
	}
	for {
		b := d.bytes()
		if in, err := x86.Decode(b, codeAt); err == nil && in.Class&(x86.Privileged|x86.Trap) == 0 {
			return b[:in.Len]
		}
	}
}

// change makes up a write to a byte of the code near an offset, and a jump behind it, after
// which the change must be seen. It does not write that jump.
func (d *duel) change(offset int) []byte {
	const length = 7 + 2
	distance := max(d.rng.IntN(80)-40, -offset-length)
	if distance == 0 || distance == 1 {
		distance = 2
	}
	store := binary.LittleEndian.AppendUint32([]byte{0xc6, 0x05}, uint32(distance)) // mov byte [rip+d], imm8
	return append(store, byte(d.rng.Uint32()), 0xeb, 0)
}

// branch makes up a direct branch to one of the next or last instructions.
func (d *duel) branch(offset int) []byte {
	distance := d.rng.IntN(60) - 20
	distance = max(distance, -offset-5)
	switch d.rng.IntN(4) {
	case 0:
		return []byte{0xeb, byte(distance)}
	case 1:
		return binary.LittleEndian.AppendUint32([]byte{0xe8}, uint32(distance))
	case 2:
		return binary.LittleEndian.AppendUint32([]byte{0x0f, 0x80 | byte(d.rng.IntN(16))}, uint32(distance))
	}
	return []byte{0x70 | byte(d.rng.IntN(16)), byte(distance)}
}

// relative makes up an instruction with an operand [rip+d], near or far.
func (d *duel) relative(offset int) []byte {
	for {
		b := d.bytes()
		in, err := x86.Decode(b, codeAt+uint64(offset))
		if err != nil || !in.Class.Is(x86.Memory) || in.Mem.Base != x86.RIP {
			continue
		}
		segment := []uint64{nearAt, farAt}[d.rng.IntN(2)]
		want := segment + dataSize/2 + d.rng.Uint64N(256) - in.Next()
		if at := displacement(b[:in.Len], in.Mem.Disp); at > 0 {
			binary.LittleEndian.PutUint32(b[at:], uint32(want))
			return b[:in.Len]
		}
	}
}

// displacement returns the offset of a displacement in an instruction, or 0 if there
// are several candidates.
func displacement(code []byte, disp int64) int {
	found := 0
	for n := 1; n+4 <= len(code); n++ {
		if int64(int32(binary.LittleEndian.Uint32(code[n:]))) == disp {
			if found != 0 {
				return 0
			}
			found = n
		}
	}
	return found
}

// bytes makes up the bytes of an instruction: general ones, sse, and with VEX.
func (d *duel) bytes() []byte {
	pick := func(n int) byte { return byte(d.rng.IntN(n)) }
	var b []byte
	if d.rng.IntN(4) == 0 {
		b = append(b, []byte{0x66, 0xf2, 0xf3, 0x64, 0x67, 0xf0, 0x66, 0x65}[pick(8)])
	}
	switch d.rng.IntN(8) {
	case 0, 1, 2:
		b = append(b, 0x40|pick(16), pick(256))
	case 3:
		b = append(b, pick(256))
	case 4, 5:
		b = append(b, 0x40|pick(16), 0x0f, pick(256))
	case 6:
		b = append(b, 0x0f, 0x38|pick(2)<<1, pick(256))
	default:
		b = append(b[:0], 0xc4, 0xe1|pick(3), pick(2)<<7|pick(16)<<3|pick(8), pick(256))
	}
	for len(b) < x86.MaxLen {
		b = append(b, byte(d.rng.Uint32()))
	}
	if d.rng.IntN(2) == 0 { // with simple operands, which do not fault
		b[3] = b[3]&0x3f | 0xc0
	}
	return b[:x86.MaxLen]
}
