package history

import (
	"bufio"
	"fmt"
	"math"
	"os"
)

// spareMemory is how many bytes the machine has for those who ask
// (MemAvailable in proc_meminfo(5)), a very large number where it does not tell.
func spareMemory() int {
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
