package target

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// What the program has written before Drain is there after it, whether or not the goroutine
// that reads has run.
func TestDrain(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		for _, started := range []bool{false, true} {
			t.Run(fmt.Sprintf("terminal %v, started %v", terminal, started), func(t *testing.T) {
				o, err := NewOutput()
				if terminal {
					_, o, err = newTerminal()
				}
				if err != nil {
					t.Skip("there is no terminal: ", err)
				}
				program := o.write
				if started {
					program = duplicate(t, program)
					o.Start()
				} else {
					defer func() { _ = o.read.Close() }()
				}
				defer func() { _ = program.Close() }()
				for n := range 200 {
					if _, err := fmt.Fprintf(program, "line %d\n", n); err != nil {
						t.Fatal(err)
					}
					o.Drain()
					if got, want := o.Take(), fmt.Sprintf("line %d\n", n); got != want {
						t.Fatalf("%q, want %q", got, want)
					}
				}
			})
		}
	}
}

// duplicate returns a file like that of a program that has inherited it.
func duplicate(t *testing.T, f *os.File) *os.File {
	t.Helper()
	again := -1
	err := control(f, func(fd int) (err error) {
		again, err = unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(again), "duplicate")
}
