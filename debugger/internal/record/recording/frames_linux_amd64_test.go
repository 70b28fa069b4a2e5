package recording_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/spool"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile/recfiletest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// inputs returns a number of calls that have read so many bytes each, after a first state.
func inputs(random *rand.Rand, count, size int) []recfile.Event {
	source := rand.NewChaCha8([32]byte{1})
	list := recfiletest.Events()[:1]
	for n := range count {
		data := make([]byte, size)
		_, _ = source.Read(data) // it never fails
		e := recfile.Event{Kind: recfile.Call, Position: list[n].Position + 1 + uint64(random.IntN(3)), Writes: []recfile.Write{{Address: 1 << 20, Data: data}}}
		e.Remap.Mapping.File = -1
		if n%7 == 6 {
			e.Position = max(list[n].Position, 1)
		}
		list = append(list, e)
	}
	return list
}

// tempFile returns a file for so many bytes.
func tempFile(t *testing.T, limit int64) *spool.File {
	t.Helper()
	file, err := spool.Create(t.TempDir(), limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	return file
}

// A recording in frames, whose frames are read in any order, is the same as when it is read as
// a whole: in memory, in a file, and with a file that is full.
func TestFrames(t *testing.T) {
	sample.Alone(t)
	for name, file := range map[string]*spool.File{
		"memory": nil, "file": tempFile(t, 1<<20), "full": tempFile(t, 2*spool.BlockSize),
		"broken": spool.New(&broken{after: 5000}, 1<<20),
	} {
		for _, ends := range []bool{true, false} {
			random := rand.New(rand.NewPCG(1, 2))
			f := recording.NewFrames(t, file)
			if err := f.AddFiles("/bin/one", "/bin/two"); err != nil {
				t.Fatal(err)
			}
			all := inputs(random, 500, 100)
			all[9].Remap = recfile.Remap{Kind: recfile.Map, Mapping: recfile.Mapping{Start: 1 << 30, Length: 1 << 12, File: 1}}
			if last := len(all) - 1; ends {
				all[last].Kind, all[last].Remap = recfile.Cut, recfile.Remap{Mapping: recfile.Mapping{File: -1}}
			}
			for left := all; len(left) > 0; {
				n := min(len(left), 1+random.IntN(40))
				f.Add(t, left[:n])
				left = left[n:]
			}
			if ends {
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
			}
			want, err := f.Read()
			if err != nil {
				t.Fatal(name, err)
			}
			got, err := f.Open()
			if err != nil {
				t.Fatal(name, err)
			}
			requireAlike(t, name, got, want)
			got.EndAt(want.End() + 9)
			want.EndAt(want.End() + 9)
			requireAlike(t, name, got, want)
			if err := f.Failure(); (err != nil) != (name == "full" || name == "broken") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func requireAlike(t *testing.T, name string, got, want *recfile.Recording) {
	t.Helper()
	if got.Len() != want.Len() || got.End() != want.End() || !reflect.DeepEqual(got.Files, want.Files) {
		t.Fatalf("%s: %d events to %d with files %v, want %d to %d with %v", name, got.Len(), got.End(), got.Files, want.Len(), want.End(), want.Files)
	}
	for _, n := range rand.Perm(want.Len()) {
		if g, w := got.Event(n), want.Event(n); !reflect.DeepEqual(g, w) {
			t.Fatalf("%s: event %d is %+v, want %+v", name, n, g, w)
		}
	}
	for position := range want.End() + 2 {
		if g, w := got.After(position), want.After(position); g != w {
			t.Fatalf("%s: event %d is after position %d, want %d", name, g, position, w)
		}
	}
	if err := got.Failure(); err != nil {
		t.Error(err)
	}
}

// Damage is found when its frame is read, and named.
func TestFramesDamaged(t *testing.T) {
	storage := new(broken)
	f := recording.NewFrames(t, spool.New(storage, 1<<20))
	all := inputs(rand.New(rand.NewPCG(1, 2)), 20, 1000)
	f.Add(t, all[:10])
	first := len(storage.b)
	f.Add(t, all[10:])
	storage.b[first+(len(storage.b)-first)/2] ^= 1
	if _, err := f.Open(); !errors.Is(err, recfile.ErrCorrupt) { // it reads the last event
		t.Fatal(err)
	}
	storage.b[first+(len(storage.b)-first)/2] ^= 1
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	storage.b[first/2] ^= 1
	if e := r.Event(3); e.Kind != recfile.Cut || !errors.Is(r.Failure(), recfile.ErrCorrupt) {
		t.Errorf("%+v, %v", e, r.Failure())
	}
}

// A stretch ends when its file is full, as one that has reached its size does, and when the
// file cannot be written, with the reason.
func TestFileEndsStretch(t *testing.T) {
	all := inputs(rand.New(rand.NewPCG(1, 2)), 20, 1000)
	for _, test := range []struct {
		file *spool.File
		why  recording.Reason
		text string
	}{
		{tempFile(t, 1<<20), 0, ""},
		{tempFile(t, spool.BlockSize), recording.EndFull, ""},
		{spool.New(&broken{after: 5000}, 1<<20), recording.EndCut, "the file of the history cannot be written: no space"},
	} {
		f := recording.NewFrames(t, test.file)
		f.Add(t, all)
		if end, _ := recording.EndOf(f.End()); end.Why != test.why || end.Text != test.text {
			t.Errorf("%+v, want %d %q", end, test.why, test.text)
		}
	}
}

// A recording in a file takes little memory, while it is written and when it is read.
func TestFramesMemory(t *testing.T) {
	sample.Alone(t)
	const pieces, size, frame = 256, 1 << 16, 16
	all := inputs(rand.New(rand.NewPCG(1, 2)), frame, size)
	before := heap()
	for _, test := range []struct {
		name        string
		file        *spool.File
		least, most int // bytes of memory
	}{
		{"memory", nil, pieces * size, 4 * pieces * size},
		{"file", tempFile(t, 1<<30), 0, 8 << 20},
	} {
		f := recording.NewFrames(t, test.file)
		f.Add(t, all[:1])
		for at := 0; at < pieces; at += frame {
			for n := range all[1:] {
				all[1+n].Position = uint64(10 + at + n)
			}
			f.Add(t, all[1:])
		}
		memory, filed := f.Bytes()
		used := heap() - before
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		for n := range r.Len() {
			if e := r.Event(n); n > 0 && n <= pieces && len(e.Writes[0].Data) != size {
				t.Fatalf("event %d: %+v", n, e)
			}
		}
		read := heap() - before
		t.Logf("%s: %d bytes, in a file %d, heap %d, when it is read %d", test.name, memory, filed, used, read)
		for _, bytes := range []int{memory, used, read} {
			if bytes < test.least || bytes > test.most {
				t.Errorf("%s: %d bytes, want %d to %d", test.name, bytes, test.least, test.most)
			}
		}
		if sum := int64(memory) + filed; sum < pieces*size {
			t.Errorf("%s: %d bytes", test.name, sum)
		}
		runtime.KeepAlive(f)
		runtime.KeepAlive(r)
	}
}

// heap returns how many bytes of memory are in use.
func heap() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// broken is a storage that cannot be written after some bytes, 0 for any number.
type broken struct {
	b     []byte
	after int
}

var errNoSpace = errors.New("no space")

func (s *broken) WriteAt(b []byte, at int64) (int, error) {
	var err error
	if left := max(0, s.after-int(at)); s.after > 0 && len(b) > left {
		b, err = b[:left], errNoSpace
	}
	s.b = append(s.b[:min(int(at), len(s.b))], b...)
	return len(b), err
}

func (s *broken) ReadAt(b []byte, at int64) (int, error) { return bytes.NewReader(s.b).ReadAt(b, at) }

func (s *broken) Close() error { return nil }
