// Package sample decides how much of a long test runs.
//
// A test that kills a process again and again, tries thousands of random inputs, or
// goes through a table of compilers takes long by its nature. It asks this package for
// a number, or for the cases of its table that run:
//
//	for range sample.Count(10, 200) { … }  // 10 rounds, 200 in a whole run
//	sample.Case(t)                         // a third of a table's cases
//	sample.OnlyWhole(t)                    // nothing but in a whole run
//	sample.Alone(t)                        // nothing with the race detector
//
// A run is whole if the environment variable TRIPTYCH_TEST_LONG is set, as "make long"
// does. Its value is a factor: with 5, each count is five times that of a whole run.
//
// The package imports none of ours, so tests of every package may use it.
package sample
