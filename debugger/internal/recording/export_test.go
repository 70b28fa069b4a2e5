package recording

import (
	"bytes"
	"strings"
	"testing"
)

// LastKind is the first number that is no kind of events.
const LastKind = lastKind

// Futexes returns how often the recorder has parked a thread, and woken one without the
// kernel.
func Futexes(r Result) (parked, woken int) { return r.parked, r.woken }

// Expired returns how often a system call was made again after its timeout.
func Expired(r Result) int { return r.expired }

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
