// Package x86test runs single instructions on the processor, so that tests can
// compare what they expect with what happens. It works on Linux, where a child
// process may be traced.
package x86test
