package sample

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"sync"
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

// seen counts the cases of each table that have called Case.
var seen struct {
	sync.Mutex
	cases map[string]int
}

// Case skips two of three subtests of a table unless the run is whole: the first one runs,
// the fourth, and so on. So does a case that -run selects alone.
func Case(t testing.TB) {
	t.Helper()
	if Whole() {
		return
	}
	seen.Lock()
	defer seen.Unlock()
	if seen.cases == nil {
		seen.cases = map[string]int{}
	}
	table := path.Dir(t.Name())
	seen.cases[table]++
	if seen.cases[table]%3 != 1 {
		t.Skip("a third of these cases runs without " + variable)
	}
}

// OnlyWhole skips a test unless the run is whole.
func OnlyWhole(t testing.TB) {
	t.Helper()
	if !Whole() {
		t.Skip("it takes long: set " + variable + "=1")
	}
}

// Alone skips a test that computes for long in one goroutine if the race detector is on, which
// finds nothing there and makes it take ten to twenty times as long.
func Alone(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("it computes in one goroutine, which takes long with the race detector")
	}
}
