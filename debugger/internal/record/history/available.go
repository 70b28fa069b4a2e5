package history

import (
	"bufio"
	"fmt"
	"math"
	"os"
)

// availableMemory returns MemAvailable of proc_meminfo(5) in bytes, or
// math.MaxInt if the machine does not report it.
func availableMemory() int {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return math.MaxInt
	}
	defer func() { _ = f.Close() }() // only read
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int
		if n, _ := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return math.MaxInt
}
