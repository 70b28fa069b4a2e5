package xsave

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/cpuid"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/interp"
)

// Places that are the same on all processors (Intel's manual, volume 1, 13.4).
const (
	offsetMXCSR  = 24
	offsetXMM    = 160
	offsetHeader = 512 // which components are not in their initial state
	minSize      = 576
)

// Components, by their bit in the header (Intel's manual, volume 1, 13.1).
const (
	componentX87  = 0
	componentSSE  = 1
	componentYMM  = 2
	componentMask = 5
	componentZMM  = 6 // upper halves of zmm0 to zmm15
	componentHigh = 7 // zmm16 to zmm31
)

// legacy are the components before the header, whose places are the same everywhere.
const legacy = 1<<componentX87 | 1<<componentSSE

// A Component is a part of the state with a bit in the header, from the third on.
type Component struct {
	Number       int  // of its bit
	Offset, Size int  // in bytes
	Aligned      bool // to 64 bytes, in the compacted format
}

// A Layout says where the components are in the standard format of XSAVE.
type Layout struct {
	components []Component // by number

	ymm, mask, zmm, high int // offsets; 0 is nowhere
}

// Machine returns the layout of this processor, of the components that the system lets
// programs use.
var Machine = sync.OnceValue(func() Layout { return Enumerate(cpuid.Leaf) })

// leafXSave is the leaf of CPUID with size and offset of components.
const leafXSave = 0xd

// Bits of ECX in the leaf of a component.
const (
	ofSupervisor = 1 << 0
	isAligned    = 1 << 1
)

// Enumerate returns the layout that CPUID describes. Without XSAVE it is that of FXSAVE.
func Enumerate(leaf func(leaf, subleaf uint32) cpuid.Answer) Layout {
	var list []Component
	main := leaf(leafXSave, 0)
	enabled := uint64(main.EDX)<<32 | uint64(main.EAX)
	for set := enabled &^ legacy; set != 0; set &= set - 1 {
		n := bits.TrailingZeros64(set)
		if a := leaf(leafXSave, uint32(n)); n < maxComponent && a.ECX&ofSupervisor == 0 {
			list = append(list, Component{n, int(a.EBX), int(a.EAX), a.ECX&isAligned != 0})
		}
	}
	return New(list)
}

// maxComponent is the bit of the header that extends it, and no component.
const maxComponent = 63

// MaxSize limits the size of a state. Of the processors that exist, those with AMX have the
// largest, of 11,008 bytes.
const MaxSize = 1 << 16

// New returns a layout of components. It leaves out those that cannot be as they are
// described: that are outside of the area, empty, or given twice.
func New(components []Component) Layout {
	var l Layout
	list := slices.Clone(components)
	slices.SortStableFunc(list, func(a, b Component) int { return a.Number - b.Number })
	for _, c := range list {
		if c.Number <= componentSSE || c.Number >= maxComponent || c.Offset < minSize || c.Size <= 0 ||
			c.Offset > MaxSize || c.Size > MaxSize-c.Offset || l.overlaps(c) {
			continue
		}
		l.components = append(l.components, c)
		for _, known := range [...]struct {
			number, size int
			offset       *int
		}{
			{componentYMM, sizeYMM, &l.ymm}, {componentMask, sizeMask, &l.mask},
			{componentZMM, sizeZMM, &l.zmm}, {componentHigh, sizeHigh, &l.high},
		} {
			if known.number == c.Number && known.size == c.Size {
				*known.offset = c.Offset
			}
		}
	}
	return l
}

func (l Layout) overlaps(c Component) bool {
	return slices.ContainsFunc(l.components, func(o Component) bool {
		return o.Number == c.Number || o.Offset < c.Offset+c.Size && c.Offset < o.Offset+o.Size
	})
}

// Components returns the components after the header, by number.
func (l Layout) Components() []Component { return slices.Clone(l.components) }

// Size returns the size of a state in the standard format.
func (l Layout) Size() int {
	size := minSize
	for _, c := range l.components {
		size = max(size, c.Offset+c.Size)
	}
	return size
}

// Compacted returns the size of a state in the compacted format (Intel's manual, volume 1,
// 13.4.3). It can be larger than the standard one where components share a place.
func (l Layout) Compacted() int {
	size := minSize
	for _, c := range l.components {
		if c.Aligned {
			size = (size + compactAlignment - 1) &^ (compactAlignment - 1)
		}
		size += c.Size
	}
	return size
}

const compactAlignment = 64

// Mask returns the bits of the components, as in XCR0.
func (l Layout) Mask() uint64 {
	mask := uint64(legacy)
	for _, c := range l.components {
		mask |= 1 << c.Number
	}
	return mask
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
