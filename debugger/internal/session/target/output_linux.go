package target

import (
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// readSome waits for output and reads some of it.
func (o *Output) readSome() error {
	conn, err := o.read.SyscallConn()
	if err != nil {
		return err
	}
	var end error
	err = conn.Read(func(fd uintptr) (done bool) {
		done, end = o.tryRead(int(fd))
		return done || end != nil
	})
	return errors.Join(err, end)
}

// readReady reads some of the output if there is any, and reports whether there was.
func (o *Output) readReady() (found bool) {
	conn, err := o.read.SyscallConn()
	if err != nil {
		return false
	}
	_ = conn.Control(func(fd uintptr) { found, _ = o.tryRead(int(fd)) }) // the reader finds the error again
	return found
}

// tryRead reads without waiting. The file is one of the runtime's poller, and so does not
// block.
func (o *Output) tryRead(fd int) (found bool, err error) {
	n, changed, err := o.readOnce(fd)
	if changed != nil {
		changed()
	}
	return n > 0, err
}

func (o *Output) readOnce(fd int) (n int, changed func(), err error) {
	o.reading.Lock()
	defer o.reading.Unlock()
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK == 0 {
		return 0, nil, errors.Join(err, errors.New("reading the output would block"))
	}
	for {
		n, err = unix.Read(fd, o.buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EAGAIN):
			return 0, nil, nil
		case err != nil:
			return 0, nil, err
		case n == 0:
			return 0, nil, io.EOF
		default:
			return n, o.store(o.buf[:n]), nil
		}
	}
}
