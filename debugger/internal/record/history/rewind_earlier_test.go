package history

import (
	"bytes"
	"errors"
	"testing"
)

// Pages that cannot be read are zero, those after them are read, and an error ends it.
func TestReadPages(t *testing.T) {
	const from = 0x10800 // in the midst of a page
	gone := errors.New("gone")
	read := func(addr uint64, b []byte) (int, error) {
		for n := range b {
			if at := addr + uint64(n); at>>12 == 0x10 || at>>12 == 0x12 {
				return n, gone
			}
			b[n] = byte((addr + uint64(n)) >> 12)
		}
		return len(b), nil
	}
	got := bytes.Repeat([]byte{0xff}, 0x3000)
	var missing []uint64
	err := readPages(read, from, got, func(at uint64, _ error) error {
		missing = append(missing, at)
		return nil
	})
	want := make([]byte, 0x800, 0x3000)
	want = append(want, bytes.Repeat([]byte{0x11}, 0x1000)...)
	want = append(want, make([]byte, 0x1000)...)
	want = append(want, bytes.Repeat([]byte{0x13}, 0x800)...)
	if err != nil || !bytes.Equal(got, want) || len(missing) != 2 || missing[0] != from || missing[1] != 0x12000 {
		t.Errorf("%v, missing %#x", err, missing)
	}
	if err := readPages(read, from, got, func(_ uint64, err error) error { return err }); !errors.Is(err, gone) {
		t.Error(err)
	}
}
