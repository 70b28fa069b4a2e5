package waits

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Cycles returns a line for each cycle of threads of which every one waits for the next.
func Cycles(waits map[int]Wait) []string {
	var lines []string
	done := map[int]bool{}
	for _, first := range slices.Sorted(maps.Keys(waits)) {
		var path []int
		at := first
		for at != 0 && !done[at] {
			done[at] = true
			path = append(path, at)
			at = waits[at].Holder
		}
		if i := slices.Index(path, at); i >= 0 {
			lines = append(lines, cycleText(waits, path[i:]))
		}
	}
	return lines
}

func cycleText(waits map[int]Wait, cycle []int) string {
	var parts []string
	for _, thread := range cycle {
		parts = append(parts, fmt.Sprintf("%d waits for %s", thread, waits[thread].For))
	}
	return "Deadlock: " + strings.Join(parts, "; ")
}
