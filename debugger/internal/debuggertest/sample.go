package debuggertest

import (
	"hash/crc32"
	"testing"
)

// Sample skips two of three subtests of a table with the race detector, by their names.
// The cases differ in what a program does, and hardly in which goroutines run: a third
// of them shows races as well, and all of them run without the detector.
func Sample(t testing.TB) {
	t.Helper()
	if Race && crc32.ChecksumIEEE([]byte(t.Name()))%3 != 0 {
		t.Skip("a third of these cases runs with the race detector")
	}
}
