package guard

import (
	"bytes"
	"io"
	"maps"
	"testing"
)

// The guard knows what is in, and what has been in, when the records end, wherever that is.
func TestGuardWatch(t *testing.T) {
	records := bytes.Join([][]byte{
		record{0x1000, 0x55, stateIn}.bytes(),
		record{0xffff_8000_0000_0001, 0x90, stateIn}.bytes(),
		record{Address: 0x1000}.bytes(),
		record{0x1000, 0x48, stateIn}.bytes(),
		record{Address: 0x3000}.bytes(),
		record{Address: 0x1000}.bytes(),
		record{State: stateClosed}.bytes(),
	}, nil)
	const size = recordSize
	const high = 0xffff_8000_0000_0001
	states := []account{
		{},
		{in: map[uint64]byte{0x1000: 0x55}, ever: map[uint64]byte{0x1000: 0x55}},
		{in: map[uint64]byte{0x1000: 0x55, high: 0x90}, ever: map[uint64]byte{0x1000: 0x55, high: 0x90}},
		{in: map[uint64]byte{high: 0x90}, ever: map[uint64]byte{0x1000: 0x55, high: 0x90}},
		{in: map[uint64]byte{0x1000: 0x48, high: 0x90}, ever: map[uint64]byte{0x1000: 0x48, high: 0x90}},
		{in: map[uint64]byte{0x1000: 0x48, high: 0x90}, ever: map[uint64]byte{0x1000: 0x48, high: 0x90}},
		{in: map[uint64]byte{high: 0x90}, ever: map[uint64]byte{0x1000: 0x48, high: 0x90}},
		{in: map[uint64]byte{high: 0x90}, ever: map[uint64]byte{0x1000: 0x48, high: 0x90}, closed: true},
	}
	for n := range len(records) + 1 {
		got := watch(io.LimitReader(bytes.NewReader(records), int64(n)))
		want := states[n/size]
		if !maps.Equal(got.in, want.in) || !maps.Equal(got.ever, want.ever) || got.closed != want.closed {
			t.Errorf("after %d bytes the state is %v, want %v", n, got, want)
		}
	}
}
