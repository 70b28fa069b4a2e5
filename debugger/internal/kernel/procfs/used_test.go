package procfs

import (
	"maps"
	"testing"
)

// The lines have the form that proc(5) describes. Sizes that are not in memory do not count.
func TestParseUsed(t *testing.T) {
	const text = `55d8c0000000-55d8c0021000 rw-p 00000000 00:00 0                          [heap]
Size:                132 kB
Rss:                   8 kB
Pss:                   8 kB
Swap:                  4 kB
SwapPss:               4 kB
VmFlags: rd wr mr mw me ac
7f0000000000-7f8000000000 rw-p 00000000 00:00 0
Size:          536870912 kB
Rss:                   0 kB
Swap:                  0 kB
7fff00000000-7fff00021000 rw-p 00000000 08:01 12  /a name: with 3 kB
Rss:                  12 kB
`
	want := Used{0x55d8c0000000: 12 << 10, 0x7f0000000000: 0}
	want[0x7fff00000000] = 12 << 10
	if got := ParseUsed(text); !maps.Equal(got, want) {
		t.Errorf("ParseUsed: %v, want %v", got, want)
	}
}
