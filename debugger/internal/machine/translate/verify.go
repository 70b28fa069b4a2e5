package translate

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// Code that may change is compared with what was translated whenever a block of it begins.
// A block continues only at the next instruction there, so that every jump to changed code
// leads to a comparison: the manuals promise no more to programs that change their own code
// (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3, "Handling
// self-modifying and cross-modifying code").

// maxVariable is the number of instructions of the longest block of code that may change.
const maxVariable = 32

// A span is code of a block that may change.
type span struct {
	start uint64
	code  []byte
}

// verify adds the comparison of code that may change. An instruction that is translated for
// one execution cannot change before.
func (t *translation) verify() {
	spans := t.variable()
	if len(spans) == 0 || t.Once && len(t.planned) == 1 {
		return
	}
	changed := t.cold.address()
	t.cold.restore(x86.RDX)
	t.cold.restore(x86.RCX)
	t.exit(Exit{Kind: ExitChanged, Target: t.PC, Link: changed + 2*restoreLength})
	t.hot.save(x86.RCX)
	t.hot.save(x86.RDX)
	for _, s := range spans {
		t.compare(s, changed)
	}
	t.hot.restore(x86.RDX)
	t.hot.restore(x86.RCX)
}

// variable returns the code of the block that may change, adjacent instructions as one.
func (t *translation) variable() (spans []span) {
	for _, p := range t.planned {
		if !p.variable {
			continue
		}
		if n := len(spans) - 1; n >= 0 && spans[n].start+uint64(len(spans[n].code)) == p.in.PC {
			spans[n].code = append(spans[n].code, p.code...)
			continue
		}
		spans = append(spans, span{p.in.PC, append([]byte(nil), p.code...)})
	}
	return spans
}

// compare adds the comparison of a span, in words of the largest size. The last word may
// overlap the one before.
func (t *translation) compare(s span, changed uint64) {
	const word = 8
	at := 0
	for ; at+word <= len(s.code); at += word {
		t.compareWord(s, at, word, changed)
	}
	if at < len(s.code) && len(s.code) > word {
		t.compareWord(s, len(s.code)-word, word, changed)
		return
	}
	for size := word / 2; size > 0; size /= 2 {
		if at+size <= len(s.code) {
			t.compareWord(s, at, size, changed)
			at += size
		}
	}
}

// loads are the opcodes that move words of 1, 2, 4 and 8 bytes to a register.
var loads = map[int][]byte{1: {0x0f, 0xb6}, 2: {0x0f, 0xb7}, 4: {0x8b}, 8: {0x48, 0x8b}}

// compareWord adds the comparison of a word, which changes rcx and rdx.
func (t *translation) compareWord(s span, at, size int, changed uint64) {
	var expected [8]byte
	copy(expected[:], s.code[at:at+size])
	h, address, load := &t.hot, s.start+uint64(at), loads[size]
	if d := int64(address - h.address() - uint64(len(load)) - 5); int64(int32(d)) == d {
		h.raw(load...)
		h.raw(0x0d) // [rip+d]
		h.imm32(uint32(d))
	} else {
		h.loadImmediate(x86.RCX, address)
		h.raw(load...)
		h.raw(0x09) // [rcx]
	}
	h.loadImmediate(x86.RDX, -binary.LittleEndian.Uint64(expected[:]))
	h.raw(0x48, 0x8d, 0x0c, 0x11) // lea rcx, [rcx+rdx]: 0 if it is as expected
	h.raw(0xe3, 5)                // jrcxz over the jump
	h.jump(changed)
}
