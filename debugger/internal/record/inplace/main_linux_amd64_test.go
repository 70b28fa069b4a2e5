package inplace_test

import (
	"errors"
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// Tests run on the thread of a tracer, whose goroutine they must not end. They panic
// with these instead of calling the methods of testing.T that do.
type (
	failure string
	skip    string
)

func (f failure) Error() string { return string(f) }
func (s skip) Error() string    { return "the kernel does not permit what the test needs: " + string(s) }

// caught calls f and returns the failure or skip that it panics with.
func caught(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r
		case skip:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// report ends the test with an error of caught.
func report(t *testing.T, err error) {
	t.Helper()
	if s := skip(""); errors.As(err, &s) {
		t.Skip(s.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func failuref(format string, args ...any) failure { return failure(fmt.Sprintf(format, args...)) }

// allowed is must for the error of inplace.New, which some kernels and containers allow
// for no process.
func allowed(err error) {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOSYS) {
		panic(skip(err.Error()))
	}
	must(err)
}

func must(err error) {
	if err != nil {
		panic(failure(err.Error()))
	}
}
