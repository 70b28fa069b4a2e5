package recording

import (
	"encoding/binary"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A system call that is withdrawn and made again has the time that is left. The kernel
// restarts some calls in this way. For others the recorder shortens the timeout: in a
// register, in memory or of a socket.

// An adjuster changes system calls for the time in which they are made: timeouts of those that are made again,
// and what chaos does. It needs no lock: only the recorder uses it.
type adjuster struct {
	log       *eventLog
	effects   *effects
	scheduler *scheduler
	pid       int
	result    *Result // counts expired timeouts
}

// timeoutAt returns the address of the time that is left, for the system calls that the kernel
// restarts with that in memory, or 0.
func (c *call) timeoutAt() uint64 {
	switch c.regs.RAX {
	case unix.SYS_PPOLL:
		return c.regs.RDX
	case unix.SYS_SELECT, unix.SYS_PSELECT6:
		return c.regs.R8
	}
	return 0
}

// resume prepares a call to continue or to begin again. Before it begins again, the memory that
// the kernel changes is copied again, because other threads may have written it since the call was
// withdrawn. For restart_syscall that can be any memory: only the kernel knows which call it
// continues, and the arguments may be those of another one.
func (a *adjuster) resume(c *call) error {
	if a.log.run.Inside() {
		return nil
	}
	return errors.Join(a.effects.copyChanged(c), a.exchange(c))
}

// exchange gives a withdrawn system call the memory that the kernel has left.
func (a *adjuster) exchange(c *call) error {
	var err error
	for _, w := range c.meanwhile {
		err = errors.Join(err, a.log.put(w))
	}
	c.meanwhile = nil
	return err
}

// left returns how much of the timeout of a call is left.
func (a *adjuster) left(c *call, whole time.Duration) time.Duration {
	left := max(0, whole-time.Since(c.began))
	if left == 0 {
		a.result.expired++
	}
	return left
}

// begin begins or continues a call by start. One that was withdrawn has the timeout that
// is left meanwhile: the kernel reads it when the call begins.
func (a *adjuster) begin(c *call, start func() (inplace.Stop, error)) (inplace.Stop, error) {
	if a.log.run.Inside() {
		return start()
	}
	alter := a.shorten
	if c.began.IsZero() {
		alter = a.disturb
	}
	restore, err := alter(c)
	if err != nil {
		return inplace.Stop{}, err
	}
	stop, err := start()
	return stop, errors.Join(err, restore())
}

// shorten shortens the timeout of a call that the kernel does not restart, until the function
// that it returns is called.
func (a *adjuster) shorten(c *call) (restore func() error, err error) {
	switch n := c.regs.RAX; {
	case n == unix.SYS_EPOLL_WAIT, n == unix.SYS_EPOLL_PWAIT:
		if whole := int64(int32(c.regs.R10)); whole > 0 {
			left := a.left(c, time.Duration(whole)*time.Millisecond)
			a.log.run.Regs.R10, c.altered = uint64(left.Milliseconds()), true
		}
	case n == unix.SYS_EPOLL_PWAIT2:
		return a.shortenAt(c, c.regs.R10)
	case n == unix.SYS_RT_SIGTIMEDWAIT:
		return a.shortenAt(c, c.regs.RDX)
	case receives[n]:
		return a.shortenSocket(c, int(int32(c.regs.RDI)))
	}
	return unchanged, nil
}

func unchanged() error { return nil }

// shortenAt shortens a timeout in memory.
func (a *adjuster) shortenAt(c *call, addr uint64) (restore func() error, err error) {
	whole, ok := a.readTime(addr, time.Nanosecond)
	if !ok {
		return unchanged, nil // there is none, or the call fails
	}
	return a.replaceTime(addr, time.Nanosecond, a.left(c, whole))
}

// readTime returns the time in memory in seconds and units, as of struct timespec and timeval.
func (a *adjuster) readTime(addr uint64, unit time.Duration) (time.Duration, bool) {
	var b [16]byte
	if n, _ := a.log.run.Memory().Read(addr, b[:]); n < len(b) {
		return 0, false
	}
	const century = 100 * 365 * 24 * 3600
	seconds, units := binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
	if seconds > century || units >= uint64(time.Second/unit) {
		return 0, false
	}
	return time.Duration(seconds)*time.Second + time.Duration(units)*unit, true
}

// replaceTime replaces a time in memory, until the function that it returns is called.
func (a *adjuster) replaceTime(addr uint64, unit, t time.Duration) (restore func() error, err error) {
	var old [16]byte
	if n, _ := a.log.run.Memory().Read(addr, old[:]); n < len(old) {
		return unchanged, nil
	}
	b := binary.LittleEndian.AppendUint64(nil, uint64(t/time.Second))
	b = binary.LittleEndian.AppendUint64(b, uint64(t%time.Second/unit))
	return func() error { return a.log.put(recfile.Write{Address: addr, Data: old[:]}) }, a.log.put(recfile.Write{Address: addr, Data: b})
}

// receives lists the system calls that wait for a socket as long as its option SO_RCVTIMEO
// says, and fail when their thread is stopped.
var receives = map[uint64]bool{
	unix.SYS_READ: true, unix.SYS_READV: true, unix.SYS_RECVFROM: true, unix.SYS_RECVMSG: true, unix.SYS_RECVMMSG: true,
	unix.SYS_ACCEPT: true, unix.SYS_ACCEPT4: true,
}

// shortenSocket shortens the timeout of a descriptor if it is that of a socket that has one.
func (a *adjuster) shortenSocket(c *call, fd int) (restore func() error, err error) {
	socket, err := copyDescriptor(a.pid, fd)
	if err != nil {
		return unchanged, nil //nolint:nilerr // the kernel says what is wrong
	}
	old, err := unix.GetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO)
	if err != nil || old.Nano() == 0 {
		return unchanged, unix.Close(socket)
	}
	left := a.left(c, time.Duration(old.Nano()))
	if left == 0 {
		return doNotWait(socket)
	}
	set := func(t unix.Timeval) error {
		return unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &t)
	}
	shortened := unix.NsecToTimeval(int64(max(left, time.Microsecond))) // 0 would be no limit
	return func() error { return errors.Join(set(*old), unix.Close(socket)) }, set(shortened)
}

// doNotWait makes calls for a socket return at once, as after their timeout. The shortest
// timeout of a socket takes two ticks of the kernel's clock: while another thread executes
// instructions, the call would be withdrawn before, again and again.
func doNotWait(socket int) (restore func() error, err error) {
	flags, err := unix.FcntlInt(uintptr(socket), unix.F_GETFL, 0)
	if err != nil {
		return unchanged, errors.Join(err, unix.Close(socket))
	}
	set := func(flags int) error {
		_, err := unix.FcntlInt(uintptr(socket), unix.F_SETFL, flags)
		return err
	}
	return func() error { return errors.Join(set(flags), unix.Close(socket)) }, set(flags | unix.O_NONBLOCK)
}

// copyDescriptor returns a descriptor of the open file that a descriptor of a process refers to.
func copyDescriptor(pid, fd int) (int, error) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0, err
	}
	copied, err := unix.PidfdGetfd(process, fd, 0)
	return copied, errors.Join(err, unix.Close(process))
}
