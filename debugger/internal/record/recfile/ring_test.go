package recfile_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile/recfiletest"
)

// stateAt returns a state of a program that has mapped the first file of the table.
func stateAt(position uint64) *recfile.Event {
	e := recfiletest.Events()[0]
	e.Position = position
	e.Mappings = []recfile.Mapping{{Start: 0x400000, Length: 0x1000, Protection: 5, File: 0}}
	return &e
}

// writeRing writes segments with some events each into a ring. In each, the files have other
// places in the table.
func writeRing(t testing.TB, limit int64, segments, each int) (*recfile.Ring, []byte) {
	t.Helper()
	g, path := recfiletest.NewRing(t, limit)
	w, err := recfile.NewWriter(g)
	if err == nil {
		err = errors.Join(w.AddFiles("/first", "/second"), w.Add(stateAt(0)))
	}
	position := uint64(0)
	for n := range segments {
		for range each {
			position++
			err = errors.Join(err, w.Add(&recfile.Event{Kind: recfile.Call, Position: position, Remap: recfile.Remap{
				Kind: recfile.Map, Mapping: recfile.Mapping{Start: 0x1000, Length: 0x1000, File: 1},
			}}))
		}
		if n == segments-1 {
			break
		}
		paths := []string{"/second", "/first"}
		if n%2 == 1 {
			paths = []string{"/first", "/second", "/third"}
		}
		refused, failed := w.NextSegment(stateAt(position+1), paths...)
		if err = errors.Join(err, failed); refused {
			t.Error("a segment was refused")
		}
	}
	last := recfile.Event{Kind: recfile.Ended, Position: position + 1, Remap: recfile.Remap{Mapping: recfile.Mapping{File: -1}}}
	if err = errors.Join(err, w.Add(&last), w.Close()); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return g, file
}

// TestSegments reads the last two segments of a ring. The events name the files of their own
// segments, and each prefix of the file ends.
func TestSegments(t *testing.T) {
	const each = 5
	for _, segments := range []int{1, 2, 3, 6} {
		g, file := writeRing(t, 0, segments, each)
		r, err := recfile.Read(bytes.NewReader(file), nil)
		if err != nil {
			t.Fatal(err)
		}
		kept := min(segments, 2)
		first := uint64(max(0, segments-kept) * each)
		if first > 0 {
			first++ // after the last event of the segment before
		}
		if at := r.Event(0).Position; at != first || r.End() != uint64(segments*each+1) || r.Len() != kept*each+2 || len(g.Segments()) != kept {
			t.Errorf("%d segments: %d events from %d to %d, want them from %d", segments, r.Len(), at, r.End(), first)
		}
		for n := 1; n+1 < r.Len(); n++ {
			e := r.Event(n)
			want := []string{"/second", "/first"}[(int(e.Position)-1)/each%2]
			if name := r.Files[e.Remap.Mapping.File].Path; name != want {
				t.Errorf("%d segments: event %d at %d names %s, want %s", segments, n, e.Position, name, want)
			}
		}
		began := false // the first state is there
		for n := range len(file) {
			r, err := recfile.Read(bytes.NewReader(file[:n]), nil)
			if err == nil && r.Last().Kind != recfile.Cut && r.Last().Kind != recfile.Ended || err != nil && began {
				t.Errorf("%d bytes of %d: %v", n, len(file), err)
			}
			began = began || err == nil
		}
	}
}

// TestRingLimit writes events that cannot be compressed into a ring. Its file keeps to the
// limit and has a good part of it. A state that takes much of the file begins no segment.
func TestRingLimit(t *testing.T) {
	const limit, each = 1 << 20, 1 << 14
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	g, path := recfiletest.NewRing(t, limit)
	w, err := recfile.NewWriter(g)
	check(t, errors.Join(err, w.AddFiles("/first"), w.Add(stateAt(0))))
	state, begun := each, 0
	for position := uint64(1); !g.Full(); position++ {
		check(t, errors.Join(w.Add(&recfile.Event{
			Kind: recfile.Call, Position: position, Remap: recfile.Remap{Mapping: recfile.Mapping{File: -1}},
			Writes: []recfile.Write{{Data: noise(each)}},
		}), w.Flush()))
		if begun > 2 && g.Size() < limit/3 || g.Size() > limit+each {
			t.Fatalf("after %d segments the file has %d bytes", begun, g.Size())
		}
		if !w.SegmentDue() {
			continue
		}
		if begun == 6 {
			state = limit / 2
		}
		e := stateAt(position + 1)
		e.Writes = []recfile.Write{{Address: 0x400000, Data: noise(state)}}
		refused, err := w.NextSegment(e, "/first")
		if check(t, err); refused != (begun == 6) {
			t.Fatalf("segment %d: refused: %t", begun, refused)
		}
		if !refused {
			begun++
		}
	}
	check(t, errors.Join(w.Add(&recfile.Event{Kind: recfile.Cut, Position: 1 << 40}), w.Close()))
	file, err := os.ReadFile(path)
	check(t, err)
	r, err := recfile.Read(bytes.NewReader(file), nil)
	check(t, err)
	if int64(len(file)) != g.Size() || begun != 6 || r.Event(0).Position == 0 {
		t.Errorf("%d segments, %d bytes and not %d, from %d on", begun, len(file), g.Size(), r.Event(0).Position)
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file beside it: %v", err)
	}
}

// check fails the test with an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
