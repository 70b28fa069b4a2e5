package sample

import (
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"testing"
)

// variable is the environment variable that makes a run whole.
const variable = "TRIPTYCH_TEST_LONG"

// Whole reports whether the run is whole.
func Whole() bool { return times() > 0 }

// times returns the factor of a whole run, or 0 if a sample runs.
func times() int {
	text := os.Getenv(variable)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		panic(fmt.Sprintf("%s=%s: it is a number from 0 on", variable, text))
	}
	return n
}

// Count returns few, or in a whole run all, multiplied by its factor.
func Count(few, all int) int {
	if n := times(); n > 0 {
		return all * n
	}
	return few
}

// Case skips two of three subtests of a table, by their names, unless the run is whole.
func Case(t testing.TB) {
	t.Helper()
	if !Whole() && !chosen(t.Name()) {
		t.Skip("a third of these cases runs without " + variable)
	}
}

// chosen reports whether the case of a name is in the sample. It is the same for every
// run, so that a failure can be repeated.
func chosen(name string) bool { return crc32.ChecksumIEEE([]byte(name))%3 == 0 }

// OnlyWhole skips a test unless the run is whole.
func OnlyWhole(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("it takes long: set " + variable + "=1")
	}
}
