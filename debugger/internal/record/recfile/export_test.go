package recfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// LastKind is the first number that is no kind of events.
const LastKind = lastKind

// WriteBlocks writes a recording with the given payloads of events.
func WriteBlocks(t testing.TB, payloads ...[]byte) []byte {
	t.Helper()
	return WriteTagged(t, strings.Repeat("E", len(payloads)), payloads...)
}

// WriteTagged writes a recording with the given blocks, of which a last one of tag Z is
// the only one.
func WriteTagged(t testing.TB, tags string, payloads ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for n, p := range payloads {
		w.buf = p
		if err := w.block(tags[n]); err != nil {
			t.Fatal(err)
		}
	}
	if tags[len(tags)-1] == blockEnd {
		if err := w.zip.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Buffer returns the capacity that a writer keeps for the next event.
func (w *Writer) Buffer() int { return cap(w.buf) }

// NextSegment begins a segment with a state, or removes it again, if it is refused.
func (w *Writer) NextSegment(state *Event, paths ...string) (refused bool, err error) {
	if err := w.BeginSegment(); err != nil {
		return false, err
	}
	if err := w.AddFiles(paths...); err != nil {
		return false, err
	}
	if err = errors.Join(w.Add(state), w.EndState()); errors.Is(err, ErrNoRoom) {
		return true, w.CancelSegment()
	}
	return false, err
}

// WriteHead returns a recording of one event of some payload, and of the head of another one
// with a length.
func WriteHead(t testing.TB, payload []byte, length uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.buf = payload
	err = w.block(blockEvent)
	if _, failed := w.zip.Write(binary.AppendUvarint([]byte{blockEvent}, length)); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	if err := w.zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// AddFiles adds empty files.
func (w *Writer) AddFiles(paths ...string) error {
	for _, path := range paths {
		if _, err := w.AddFile(File{Path: path}); err != nil {
			return err
		}
	}
	return nil
}
