package xsave

import (
	"encoding/binary"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/x86/cpuid"
	"github.com/triptych-mcp/triptych/debugger/internal/x86/interp"
)

// Places that are the same on all processors (Intel's manual, volume 1, 13.4).
const (
	offsetMXCSR  = 24
	offsetXMM    = 160
	offsetHeader = 512 // which components are not in their initial state
	minSize      = 576
)

// Components, by their bit in the header.
const (
	componentX87  = 0
	componentSSE  = 1
	componentYMM  = 2
	componentMask = 5
	componentZMM  = 6 // upper halves of zmm0 to zmm15
	componentHigh = 7 // zmm16 to zmm31
)

// A Layout says where the components are, in bytes from the beginning; 0 is
// nowhere.
type Layout struct {
	ymm, mask, zmm, high int
}

// Machine returns the layout of this processor.
var Machine = sync.OnceValue(func() Layout {
	return Layout{
		ymm:  component(componentYMM, sizeYMM),
		mask: component(componentMask, sizeMask),
		zmm:  component(componentZMM, sizeZMM),
		high: component(componentHigh, sizeHigh),
	}
})

// leafXSave is the leaf of CPUID with size and offset of components.
const leafXSave = 0xd

// component returns where a component of n bytes is.
func component(number, n uint32) int {
	if a := cpuid.Leaf(leafXSave, number); a.EAX == n {
		return int(a.EBX)
	}
	return 0
}

// Load takes the vector state out of what XSAVE has written. It returns false if
// that is too short. Components beyond its end, which the kernel does not use,
// are zero.
func (l Layout) Load(state []byte, v *interp.Vectors) bool {
	if len(state) < minSize {
		return false
	}
	l = l.fit(len(state))
	v.Control = binary.LittleEndian.Uint16(state)
	v.MXCSR = binary.LittleEndian.Uint32(state[offsetMXCSR:])
	for n := range v.Reg {
		for quad := range v.Reg[n] {
			v.Reg[n][quad] = l.read(state, l.vectorOffset(n, quad))
		}
	}
	for n := range v.Mask {
		v.Mask[n] = l.read(state, l.maskOffset(n))
	}
	return true
}

// Sizes of components in bytes.
const (
	sizeYMM  = 16 * 16
	sizeMask = 8 * 8
	sizeZMM  = 16 * 32
	sizeHigh = 16 * 64
)

// fit returns the layout of a state of n bytes.
func (l Layout) fit(n int) Layout {
	for _, c := range [...]struct {
		offset *int
		size   int
	}{{&l.ymm, sizeYMM}, {&l.mask, sizeMask}, {&l.zmm, sizeZMM}, {&l.high, sizeHigh}} {
		if *c.offset+c.size > n {
			*c.offset = 0
		}
	}
	return l
}

// read returns a quadword, 0 from nowhere.
func (l Layout) read(state []byte, offset int) uint64 {
	if offset == 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(state[offset:])
}

// vectorOffset returns the offset of a quadword of a vector register, 0 if it
// has none.
func (l Layout) vectorOffset(n, quad int) int {
	switch {
	case n >= 16:
		return within(l.high, 64*(n-16)+8*quad)
	case quad < 2:
		return offsetXMM + 16*n + 8*quad
	case quad < 4:
		return within(l.ymm, 16*n+8*(quad-2))
	}
	return within(l.zmm, 32*n+8*(quad-4))
}

func (l Layout) maskOffset(n int) int { return within(l.mask, 8*n) }

// within returns a place in a component, or nowhere.
func within(component, offset int) int {
	if component == 0 {
		return 0
	}
	return component + offset
}
