package recording

import (
	"errors"
	"io"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/spool"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// Frames is a recording in frames, as that of a Part.
type Frames struct {
	store *recfile.Store
	out   *recfile.Writer
}

// NewFrames returns Frames without events, in a file unless it is nil.
func NewFrames(t testing.TB, file *spool.File) *Frames {
	t.Helper()
	s := recfile.NewStore(nil)
	if file != nil {
		s = recfile.NewStore(file.NewExtent())
	}
	out, err := recfile.NewFrameWriter(s)
	if err != nil {
		t.Fatal(err)
	}
	return &Frames{s, out}
}

// Add adds a frame with events.
func (f *Frames) Add(t testing.TB, events []recfile.Event) {
	t.Helper()
	for n := range events {
		if err := f.out.Add(&events[n]); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// Close ends the recording.
func (f *Frames) Close() error { return f.out.Close() }

// AddFiles adds empty files.
func (f *Frames) AddFiles(paths ...string) error {
	for _, path := range paths {
		if _, err := f.out.AddFile(recfile.File{Path: path}); err != nil {
			return err
		}
	}
	return nil
}

// Open returns the recording, which reads frames when they are needed.
func (f *Frames) Open() (*recfile.Recording, error) {
	return recfile.OpenFrames(f.store, f.out.Index())
}

// Read returns the recording, read from the beginning to the end.
func (f *Frames) Read() (*recfile.Recording, error) {
	return recfile.Read(io.NewSectionReader(f.store, 0, f.store.Len()), nil)
}

// Bytes returns how much memory the frames take, and how many bytes are in the file.
func (f *Frames) Bytes() (memory int, filed int64) {
	p := &Part{store: f.store, index: f.out.Index()}
	return p.Bytes(), f.store.Filed()
}

// Failure returns why the file cannot be written.
func (f *Frames) Failure() error { return f.store.Failure() }

// End returns the error with which a stretch ends that has written the frames, or nil.
func (f *Frames) End() error {
	return (&stretch{store: f.store, Stretch: Stretch{Bytes: 1 << 30}}).room(f.out)
}

// EndOf returns the end of a stretch that an error of End means.
func EndOf(err error) (StretchEnd, bool) {
	e, ok := errors.AsType[*stretchEnd](err)
	if !ok {
		return StretchEnd{}, false
	}
	return e.StretchEnd, true
}
