package xsave

import (
	"encoding/binary"
	"slices"
)

// makers are the layouts of the processors that exist, with all components that one of a
// maker has. Intel gives each component one place on all of its processors, and that of the
// bounds of MPX to APX (Intel's specification of APX, 3.1.4.1). AMD packs those that a
// processor has (AMD's manual, volume 2, 11.5, where CPUID tells the places).
var makers = [...]func(mask uint64) Layout{
	func(mask uint64) Layout { return New(selected(everyComponent, mask)) },
	func(mask uint64) Layout { return New(packed(selected(everyComponent, mask))) },
}

// everyComponent has Intel's places.
var everyComponent = []Component{
	{componentYMM, 576, sizeYMM, false},
	{3, 960, 64, false},
	{4, 1024, 64, false},
	{componentMask, 1088, sizeMask, false},
	{componentZMM, 1152, sizeZMM, false},
	{componentHigh, 1664, sizeHigh, false},
	{9, 2688, 8, false},
	{17, 2752, 64, true},
	{18, 2816, 8192, true},
	{19, 960, 128, false},
}

func selected(list []Component, mask uint64) []Component {
	return slices.DeleteFunc(slices.Clone(list), func(c Component) bool { return mask>>c.Number&1 == 0 })
}

func packed(list []Component) []Component {
	at := minSize
	for i := range list {
		list[i].Offset = at
		at += list[i].Size
	}
	return list
}

// Of returns the layout of a state that Linux has written, on this processor or another
// one: in a core file, a trace or a recording. The state says which components it has, and
// with its size where they are. Of a processor that is not known the layout has only what is
// in one place everywhere.
func Of(state []byte) Layout { return of(state, Machine()) }

func of(state []byte, own Layout) Layout {
	if len(state) < minSize {
		return Layout{}
	}
	mask := binary.LittleEndian.Uint64(state[offsetSoftware:])
	if len(state) == own.Size() && (mask == own.Mask() || mask == 0) { // some debuggers write 0
		return own
	}
	for _, maker := range makers {
		if l := maker(mask); l.Size() == len(state) && l.Mask() == mask {
			return l
		}
	}
	everywhere := New(selected(everyComponent, 1<<componentYMM))
	if mask>>componentYMM&1 == 0 || len(state) < everywhere.Size() {
		return Layout{}
	}
	return everywhere
}

// Own returns a state that Linux has written on this processor or another one in the layout
// of this one, with values in all components. It returns a *[LayoutError] if that is not
// possible.
func Own(state []byte) ([]byte, error) { return owned(state, Machine()) }

func owned(state []byte, own Layout) ([]byte, error) {
	from := of(state, own)
	if len(state) == own.Size() && from.Mask() == own.Mask() {
		return state, nil
	}
	return from.Convert(state, own)
}
