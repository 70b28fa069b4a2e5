package xsave

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// The processor may mark a component that is in its initial state as in use, or not
// (Intel's manual, volume 1, 13.6, "init optimization"). Then it has its initial values,
// whatever the memory of it holds.

// Places in the legacy region (Intel's manual, volume 1, table 10-2). Linux tells in the
// bytes for software which components there are (struct xregs_state in asm/fpstate types).
const (
	offsetTheX87   = 0
	endXMM         = offsetXMM + 16*16
	offsetSoftware = 464
	offsetCompact  = offsetHeader + 8
)

// Normalize gives components that are not in use their initial values.
func (l Layout) Normalize(state []byte) {
	if len(state) < minSize {
		return
	}
	inUse := binary.LittleEndian.Uint64(state[offsetHeader:])
	if inUse&(1<<componentX87) == 0 {
		clear(state[offsetTheX87:offsetMXCSR])
		clear(state[offsetStack:offsetXMM])
		binary.LittleEndian.PutUint16(state, initialControl)
	}
	if inUse&(1<<componentSSE) == 0 {
		clear(state[offsetXMM:endXMM])
	}
	if inUse&(1<<componentSSE|1<<componentYMM) == 0 { // both have MXCSR
		binary.LittleEndian.PutUint32(state[offsetMXCSR:], initialMXCSR)
	}
	for _, c := range l.components {
		if inUse>>c.Number&1 == 0 {
			clear(c.of(state))
		}
	}
}

// of returns the part of the component that is in a state.
func (c Component) of(state []byte) []byte {
	return state[min(c.Offset, len(state)):min(c.Offset+c.Size, len(state))]
}

// Canonical returns a copy of a state in which all components of the layout are marked as
// in use, and what is no state of the processor is zero. Copies of two states are equal if
// the states mean the same.
func (l Layout) Canonical(state []byte) []byte {
	state = slices.Clone(state)
	if len(state) < minSize {
		return state
	}
	l.Normalize(state)
	clear(state[offsetSoftware:offsetHeader])
	inUse := binary.LittleEndian.Uint64(state[offsetHeader:])
	binary.LittleEndian.PutUint64(state[offsetHeader:], inUse|l.Mask())
	return state
}

// Equal reports whether two states mean the same.
func (l Layout) Equal(a, b []byte) bool { return l.Difference(a, b) == "" }

// Difference says where the meaning of two states differs first, "" if it does not.
func (l Layout) Difference(a, b []byte) string {
	if len(a) != len(b) {
		return fmt.Sprintf("one has %d bytes, the other %d", len(a), len(b))
	}
	a, b = l.Canonical(a), l.Canonical(b)
	for at := range a {
		if a[at] != b[at] {
			end := min(len(a), at+16)
			return fmt.Sprintf("%s, at byte %d: % x, % x", l.componentAt(at), at, a[at:end], b[at:end])
		}
	}
	return ""
}

// componentAt names the component that a byte belongs to.
func (l Layout) componentAt(at int) string {
	for _, c := range l.components {
		if c.Offset <= at && at < c.Offset+c.Size {
			return name(c.Number)
		}
	}
	switch {
	case at >= offsetHeader && at < minSize:
		return "the header"
	case at >= offsetXMM && at < endXMM || at >= offsetMXCSR && at < offsetStack:
		return name(componentSSE)
	case at < offsetXMM:
		return name(componentX87)
	}
	return "no component"
}

// names holds the names of the components (Intel's manual, volume 1, 13.1, and the specification
// of APX, 3.1.4.1).
var names = map[int]string{
	componentX87: "x87", componentSSE: "SSE", componentYMM: "AVX", 3: "MPX bounds", 4: "MPX control",
	componentMask: "AVX-512 masks", componentZMM: "AVX-512 upper halves", componentHigh: "AVX-512 zmm16 to zmm31",
	9: "PKRU", 17: "AMX configuration", 18: "AMX tiles", 19: "APX",
}

func name(number int) string {
	if s := names[number]; s != "" {
		return s
	}
	return fmt.Sprintf("component %d", number)
}

// String lists the components and the size.
func (l Layout) String() string { return describe(l.Mask(), l.Size()) }

func describe(mask uint64, size int) string {
	var list []string
	for mask |= legacy; mask != 0; mask &= mask - 1 {
		list = append(list, name(bits.TrailingZeros64(mask)))
	}
	return fmt.Sprintf("%s (%d bytes)", strings.Join(list, ", "), size)
}

// A LayoutError reports a state that another layout cannot hold.
type LayoutError struct {
	Component string // that is in use, and not in the other layout; "" if the layout is not known
	From, To  string
}

// Error implements error.
func (e *LayoutError) Error() string {
	if e.Component == "" {
		return fmt.Sprintf("the places in the vector state of a processor with %s are not known; this processor has %s", e.From, e.To)
	}
	return fmt.Sprintf("%s is in use in the vector state of a processor with %s; this processor has %s", e.Component, e.From, e.To)
}

// Convert returns a state in another layout. It returns a *[LayoutError] if a component
// that is not in its initial state has no place there. The state may be shorter than its
// layout, if the system does not use all of the components.
func (l Layout) Convert(state []byte, to Layout) ([]byte, error) {
	refused := &LayoutError{From: l.String(), To: to.String()}
	if len(state) >= minSize {
		refused.From = describe(binary.LittleEndian.Uint64(state[offsetSoftware:])|l.Mask(), len(state))
	}
	if len(state) < minSize || binary.LittleEndian.Uint64(state[offsetCompact:]) != 0 {
		return nil, refused
	}
	state = slices.Clone(state)
	l.Normalize(state)
	out := make([]byte, to.Size())
	copy(out, state[:minSize])
	inUse := binary.LittleEndian.Uint64(state[offsetHeader:]) & legacy
	for _, c := range l.components {
		from := c.of(state)
		i := slices.IndexFunc(to.components, func(o Component) bool { return o.Number == c.Number && o.Size == c.Size })
		switch {
		case isInitial(from), i < 0 && isDefault(c.Number, from):
			continue
		case i < 0 || len(from) < c.Size:
			refused.Component = name(c.Number)
			return nil, refused
		}
		copy(to.components[i].of(out), from)
		inUse |= 1 << c.Number
	}
	if other := binary.LittleEndian.Uint64(state[offsetHeader:]) &^ l.Mask(); other != 0 {
		return nil, refused
	}
	if binary.LittleEndian.Uint32(out[offsetMXCSR:]) != initialMXCSR {
		inUse |= 1 << componentSSE
	}
	binary.LittleEndian.PutUint64(out[offsetHeader:], inUse)
	binary.LittleEndian.PutUint64(out[offsetSoftware:], to.Mask())
	return out, nil
}

func isInitial(component []byte) bool {
	return !slices.ContainsFunc(component, func(b byte) bool { return b != 0 })
}

// isDefault reports whether a component has the value that Linux gives every program, which
// has no effect until the program asks for protection keys (pkeys(7)).
func isDefault(number int, component []byte) bool {
	const componentPKRU, allButFirst = 9, 0x55555554
	return number == componentPKRU && len(component) >= 4 && binary.LittleEndian.Uint32(component) == allButFirst
}
