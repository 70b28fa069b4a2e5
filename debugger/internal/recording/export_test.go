package recording

import (
	"bytes"
	"testing"
)

// WriteBlocks writes a recording with the given payloads of events.
func WriteBlocks(t testing.TB, payloads ...[]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range payloads {
		w.buf = p
		if err := w.block(blockEvent); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
