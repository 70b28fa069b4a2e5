package recfile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile/recfiletest"
)

// TestRoundTrip reads what was written.
func TestRoundTrip(t *testing.T) {
	want := recfiletest.Events()
	r, err := recfile.Read(bytes.NewReader(recfiletest.Write(t, want)), nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []recfile.Event
	for n := range r.Len() {
		got = append(got, r.Event(n))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestCutFile reads all prefixes of a file: none is damaged, and each that has an event
// ends.
func TestCutFile(t *testing.T) {
	var b bytes.Buffer
	w, err := recfile.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	lengths := map[int]int{} // of the file after each event
	all := recfiletest.Events()
	for n := range all {
		if err := errors.Join(w.Add(&all[n]), w.Flush()); err != nil {
			t.Fatal(err)
		}
		lengths[b.Len()] = n + 1
	}
	file, flushed := b.Bytes(), 0
	for n := range len(file) + 1 {
		flushed = max(flushed, lengths[n])
		r, err := recfile.Read(bytes.NewReader(file[:n]), nil)
		if flushed == 0 {
			if err == nil {
				t.Errorf("%d bytes are a recording", n)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", n, len(file), err)
		}
		if last := r.Last(); last.Kind != recfile.Cut && last.Kind != recfile.Ended || r.Len() < flushed {
			t.Errorf("%d bytes: %d events, the last of kind %d", n, r.Len(), last.Kind)
		}
	}
}

// TestRefusedEvents reads recordings that no replay could follow.
func TestRefusedEvents(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(e []recfile.Event)
	}{
		{"no program", func(e []recfile.Event) { e[0].Kind = recfile.Call }},
		{"position of the program", func(e []recfile.Event) { e[0].Position = 1 << 62 }},
		{"going back", func(e []recfile.Event) { e[2].Position = 9 }},
		{"after the end", func(e []recfile.Event) { e[1].Kind = recfile.Cut }},
		{"no end", func(e []recfile.Event) { e[4].Kind = recfile.Call }},
		{"unknown kind", func(e []recfile.Event) { e[1].Kind = recfile.LastKind }},
		{"register number", func(e []recfile.Event) { e[1].Registers[0].Number = 27 }},
		{"orig_rax", func(e []recfile.Event) { e[1].Registers[0].Number = 15 }},
		{"no position after it", func(e []recfile.Event) { e[3].Position, e[4].Position = 1<<62-1, 1<<62-1 }},
		{"32-bit code", func(e []recfile.Event) { e[1].Registers[0] = recfile.Register{Number: 17, Value: 0x23} }},
		{"address", func(e []recfile.Event) { e[0].Writes[0].Address = 1<<64 - 2 }},
		{"kernel memory", func(e []recfile.Event) { e[0].Mappings[0].Start = 1 << 63 }},
		{"unaligned", func(e []recfile.Event) { e[0].Mappings[0].Start = 1 }},
		{"protection", func(e []recfile.Event) { e[0].Mappings[0].Protection = 8 }},
		{"file", func(e []recfile.Event) { e[0].Mappings[0].File = 0 }},
		{"target", func(e []recfile.Event) { e[2].Remap.To = 1 << 63 }},
		{"vector state", func(e []recfile.Event) { e[0].Vector = make([]byte, 1<<16+1) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := recfiletest.Events()
			test.change(all)
			if _, err := recfile.Read(bytes.NewReader(recfiletest.Write(t, all)), nil); !errors.Is(err, recfile.ErrCorrupt) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestRefusedBlocks reads small files of blocks that no writer writes, most of which would
// need much memory.
func TestRefusedBlocks(t *testing.T) {
	image := []byte{1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0}
	ended := []byte{5, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0}
	zeros := make([]byte, 1<<23)
	many := func(part byte, count uint64, length int) []byte {
		b := bytes.Clone(image)
		b[1] = part
		return append(binary.AppendUvarint(b, count), zeros[:length]...)
	}
	text := append(binary.AppendUvarint(nil, 1<<20), append([]byte{'/'}, zeros[:1<<20-1+1+32]...)...)
	for _, test := range []struct {
		name, tags string
		payloads   [][]byte
	}{
		{"writes", "EE", [][]byte{many(2, 1<<22, 2<<22), ended}},
		{"mappings", "EE", [][]byte{many(16, 1<<20, 6<<20), ended}},
		{"registers", "EE", [][]byte{append(append(bytes.Clone(image[:14]), 28), zeros[:2*28]...), ended}},
		{"a path", "FEE", [][]byte{text, image, ended}},
		{"an end with contents", "EEZ", [][]byte{image, ended, {0}}},
		{"a segment with contents", "SEE", [][]byte{{0}, image, ended}},
		{"a segment without a state", "ESE", [][]byte{image, nil, ended}},
		{"a segment after the end", "EES", [][]byte{image, ended, nil}},
		{"a segment in a segment", "SSEE", [][]byte{nil, nil, image, ended}},
	} {
		file := recfile.WriteTagged(t, test.tags, test.payloads...)
		if _, err := recfile.Read(bytes.NewReader(file), nil); !errors.Is(err, recfile.ErrCorrupt) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestLastPosition reads a file that ends early, at the last position that an event may
// have.
func TestLastPosition(t *testing.T) {
	all := recfiletest.Events()[:3]
	all[2].Position = 1<<62 - 2
	var b bytes.Buffer
	w, err := recfile.NewWriter(&b)
	for n := range all {
		err = errors.Join(err, w.Add(&all[n]))
	}
	if err := errors.Join(err, w.Flush()); err != nil {
		t.Fatal(err)
	}
	r, err := recfile.Read(&b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last := r.Last(); last.Kind != recfile.Cut || last.Position != 1<<62-1 {
		t.Errorf("%+v", last)
	}
}

// FuzzRead reads anything. What is read has an end and can be read event by event.
func FuzzRead(f *testing.F) {
	f.Add(recfiletest.Write(f, recfiletest.Events()))
	f.Add([]byte("TRIPTYCH RECORDING\n\x01\x00"))
	_, ring := writeRing(f, 0, 1, 5)
	f.Add(ring)
	f.Fuzz(func(t *testing.T, file []byte) {
		r, err := recfile.Read(bytes.NewReader(file), nil)
		if err != nil {
			return
		}
		for n := range r.Len() {
			e := r.Event(n)
			if e.Position > r.End() {
				t.Errorf("event %d at %d is after the end, %d", n, e.Position, r.End())
			}
		}
		if kind := r.Last().Kind; kind != recfile.Cut && kind != recfile.Ended {
			t.Errorf("the last event is of kind %d", kind)
		}
	})
}

// FuzzEvents reads recordings of any blocks, which FuzzRead seldom makes, because they
// are compressed.
func FuzzEvents(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0}, []byte{5, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		file := recfile.WriteBlocks(t, first, second)
		r, err := recfile.Read(bytes.NewReader(file), nil)
		if err == nil && (r.Len() != 2 || r.Event(1).Position != r.End()) {
			t.Errorf("%d events", r.Len())
		}
	})
}
