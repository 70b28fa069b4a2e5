// Package x86test runs single instructions on the processor, so that tests can
// compare what they expect with what happens. It works on Linux on x86-64,
// where a child process may be traced; elsewhere it is empty.
package x86test
