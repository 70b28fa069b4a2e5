package recording

import (
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// KeptAfterAdding adds parts to a past, and reports of the first and the last one whether they
// can go on.
func KeptAfterAdding(parts int) (first, last bool) {
	p := NewPast(Place{Memory: 1 << 20})
	for n := range parts {
		p.add(nil, &Part{first: uint64(n), last: uint64(n) + 1, kept: new(kept), store: new(recfile.Store), index: new(recfile.Index)})
	}
	return p.Parts[0].(*Part).kept != nil, p.Parts[parts-1].(*Part).kept != nil
}

// PartOf returns a part with a recording that has not been opened.
func PartOf(t testing.TB, events []recfile.Event, last uint64) *Part {
	t.Helper()
	f := NewFrames(t, nil)
	f.Add(t, events)
	return &Part{past: NewPast(Place{}), store: f.store, index: f.out.Index(), last: last}
}

// CheckImage checks an image with some bytes of zeros for a recording of at most some bytes.
func CheckImage(zeros, most int) error {
	s := newStretch(Stretch{Bytes: most})
	s.store = new(recfile.Store)
	out, err := recfile.NewFrameWriter(s.store)
	if err != nil {
		return err
	}
	e := recfile.Event{Kind: recfile.Image, Writes: []recfile.Write{{Data: make([]byte, zeros)}}}
	if err := errors.Join(out.Add(&e), out.Flush()); err != nil {
		return err
	}
	return s.checkImage(out)
}

// AsksForShadowStack reports whether a system call is answered as by a processor without
// shadow stacks.
var AsksForShadowStack = shadowStack
