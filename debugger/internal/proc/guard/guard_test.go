package guard

import (
	"bytes"
	"io"
	"maps"
	"testing"
)

// The guard knows what is in when the records end, wherever that is.
func TestGuardWatch(t *testing.T) {
	records := bytes.Join([][]byte{
		record{0x1000, 0x55, 1}.bytes(),
		record{0xffff_8000_0000_0001, 0x90, 1}.bytes(),
		record{Address: 0x1000}.bytes(),
		record{0x1000, 0x48, 1}.bytes(),
		record{Address: 0x3000}.bytes(),
	}, nil)
	const size = recordSize
	states := []map[uint64]byte{
		{},
		{0x1000: 0x55},
		{0x1000: 0x55, 0xffff_8000_0000_0001: 0x90},
		{0xffff_8000_0000_0001: 0x90},
		{0x1000: 0x48, 0xffff_8000_0000_0001: 0x90},
		{0x1000: 0x48, 0xffff_8000_0000_0001: 0x90},
	}
	for n := range len(records) + 1 {
		got := watch(io.LimitReader(bytes.NewReader(records), int64(n)))
		if want := states[n/size]; !maps.Equal(got, want) {
			t.Errorf("after %d bytes %v is in, want %v", n, got, want)
		}
	}
}
