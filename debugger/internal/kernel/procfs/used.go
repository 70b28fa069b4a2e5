package procfs

import (
	"strconv"
	"strings"
)

// Used holds the number of bytes of each mapping that are in memory or swapped out, by its
// first address.
type Used map[uint64]uint64

// ParseUsed reads /proc/PID/smaps.
func ParseUsed(text string) Used {
	used := Used{}
	start := uint64(0)
	for line := range strings.Lines(text) {
		if 'A' > line[0] || line[0] > 'Z' { // names of fields begin so
			if m, err := ParseMap(strings.TrimSuffix(line, "\n")); err == nil {
				start = m.Start
			}
			continue
		}
		if name, value, _ := strings.Cut(line, ":"); name == "Rss" || name == "Swap" {
			kib, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 54)
			used[start] += kib << 10
		}
	}
	return used
}
