//go:build race

package x86_test

// raceEnabled makes the tests against objdump, which have no goroutines of
// their own, read less.
const raceEnabled = true
