//go:build linux

package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// A pipe is the connection to a child over its standard input and output, with plain
// system calls, which cost less than a goroutine that waits.
type pipe struct {
	*child

	in, out int    // what the child reads and writes
	buf     []byte // what was read; the lines in buf[lo:hi] are not looked at yet
	lo, hi  int
	next    int // the id of the next request
}

func openPipe(ctx context.Context, s Server) (Conn, error) {
	p := &pipe{buf: make([]byte, 256<<10), next: firstID}
	var theirs [2]*os.File
	if err := p.connect(&theirs); err != nil {
		return nil, err
	}
	var err error
	p.child, err = start(ctx, s, func(cmd *exec.Cmd) { cmd.Stdin, cmd.Stdout = theirs[0], theirs[1] })
	_ = errors.Join(theirs[0].Close(), theirs[1].Close()) // the child has them
	if err != nil {
		return nil, errors.Join(err, p.hangUp())
	}
	if err := p.handshake(s.Revision); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// connect makes the two pipes. All their ends block, as those of a shell do.
func (p *pipe) connect(theirs *[2]*os.File) error {
	var in, out [2]int
	if err := unix.Pipe2(in[:], unix.O_CLOEXEC); err != nil {
		return err
	}
	if err := unix.Pipe2(out[:], unix.O_CLOEXEC); err != nil {
		return errors.Join(err, unix.Close(in[0]), unix.Close(in[1]))
	}
	p.in, p.out = in[1], out[0]
	theirs[0], theirs[1] = os.NewFile(uintptr(in[0]), "stdin"), os.NewFile(uintptr(out[1]), "stdout")
	return nil
}

func (p *pipe) handshake(revision string) error {
	if revision == "" {
		return nil
	}
	hello := initialize(revision)
	answer, err := p.ask(&hello)
	if err == nil {
		err = hello.check(answer)
	}
	if err != nil {
		return err
	}
	return p.write([]byte(initialized + "\n"))
}

func (p *pipe) ask(m *Message) ([]byte, error) {
	line := append(bytes.Clone(m.line), '\n')
	putID(line[m.id:], p.next)
	defer func() { p.next = nextID(p.next) }()
	if err := p.write(line); err != nil {
		return nil, err
	}
	for {
		answer, ok := p.line()
		if !ok {
			if err := p.fill(); err != nil {
				return nil, err
			}
			continue
		}
		if id, ok := answerID(answer); ok && id == p.next {
			return answer, nil
		}
	}
}

// write writes all of b.
func (p *pipe) write(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Write(p.in, b)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return p.lost(err)
		}
		b = b[max(n, 0):]
	}
	return nil
}

// fill reads once.
func (p *pipe) fill() error {
	switch {
	case p.lo == p.hi:
		p.lo, p.hi = 0, 0
	case p.hi == len(p.buf) && p.lo > 0:
		p.hi = copy(p.buf, p.buf[p.lo:p.hi])
		p.lo = 0
	case p.hi == len(p.buf):
		p.buf = append(p.buf, make([]byte, len(p.buf))...)
	}
	for {
		n, err := unix.Read(p.out, p.buf[p.hi:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			err = errors.New("it closed its output")
		}
		p.hi += max(n, 0)
		return p.lost(err)
	}
}

// lastWords is the time that a child whose pipe broke gets to end, so that all it wrote
// to its standard error is here.
const lastWords = 5 * time.Second

// lost adds to an error what the child wrote to its standard error. The pipe may
// break before that was read.
func (p *pipe) lost(err error) error {
	if err == nil {
		return nil
	}
	select {
	case <-p.done:
	case <-time.After(lastWords):
	}
	return fmt.Errorf("%w; it said: %.2000s", err, &p.said)
}

// line takes a line off what was read, if there is a whole one.
func (p *pipe) line() ([]byte, bool) {
	n := bytes.IndexByte(p.buf[p.lo:p.hi], '\n')
	if n < 0 {
		return nil, false
	}
	line := p.buf[p.lo : p.lo+n]
	p.lo += n + 1
	return line, true
}

// Run implements [Conn].
func (p *pipe) Run(mix *Mix, window int, d time.Duration) (*Sample, error) {
	runtime.LockOSThread() // a goroutine that moves costs the driver a wake-up
	defer runtime.UnlockOSThread()
	before, err := CPU(p.PID())
	if err != nil {
		return nil, err
	}
	own := ownCPU()
	f := newPipeRun(p, mix, window, d)
	if f.fitsPipe() {
		err = f.run()
	} else {
		err = f.runConcurrently()
	}
	if err != nil {
		return nil, err
	}
	after, err := CPU(p.PID())
	f.sample.CPU, f.sample.Driver = after-before, ownCPU()-own
	return &f.sample, err
}

func (p *pipe) hangUp() error {
	err := errors.Join(unix.Close(p.in), unix.Close(p.out))
	p.in, p.out = -1, -1 // the numbers are soon those of other files
	return err
}

// Close implements [Conn]. A second time it does nothing.
func (p *pipe) Close() error {
	if p.in < 0 {
		return nil
	}
	err := unix.Close(p.in) // the child ends with its input
	p.in = -1
	err = errors.Join(err, p.end(), unix.Close(p.out))
	p.out = -1
	return err
}
