package races

import (
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// calls has what system calls that have succeeded do to the order of threads, by name. The
// descriptor of a file is the first argument.
var calls = map[string]func(d *Detector, thread int, c *history.CallMade){
	"futex":      (*Detector).futex,
	"pipe":       (*Detector).connect,
	"pipe2":      (*Detector).connect,
	"socketpair": (*Detector).connect,
	"dup":        (*Detector).duplicate,
	"dup2":       (*Detector).duplicate,
	"dup3":       (*Detector).duplicate,
	"close":      func(d *Detector, _ int, c *history.CallMade) { delete(d.files, c.Arguments[0]) },
	"write":      (*Detector).send,
	"writev":     (*Detector).send,
	"sendto":     (*Detector).send,
	"sendmsg":    (*Detector).send,
	"sendmmsg":   (*Detector).send,
	"read":       (*Detector).receive,
	"readv":      (*Detector).receive,
	"recvfrom":   (*Detector).receive,
	"recvmsg":    (*Detector).receive,
	"recvmmsg":   (*Detector).receive,
	"kill":       (*Detector).signal,
	"tkill":      (*Detector).signal,
	"tgkill":     (*Detector).signal,
}

// called adds a system call.
func (d *Detector) called(t int, a *history.Access) {
	c := a.Made
	if f := calls[syscalls.Name(c.Number)]; f != nil && c.Result >= 0 {
		f(d, t, c)
	}
	if c.Unmapped.Len > 0 {
		d.forget(c.Unmapped)
	}
	d.written(t, a)
	for _, id := range c.Started {
		delete(d.threads, id) // of one that has ended
		d.clocks[d.index(id)].join(d.clocks[t])
	}
	if len(c.Started) > 0 {
		d.clocks[t][t]++
	}
}

// written adds what the kernel has written for a thread.
func (d *Detector) written(t int, a *history.Access) {
	for _, w := range a.Made.Writes {
		if len(w.Data) == 0 {
			continue
		}
		memory := x86.Span{Addr: w.Address, Len: uint64(len(w.Data))}
		d.access(&stamp{
			Side:  Side{Position: a.Position, PC: a.PC, Memory: memory, Thread: a.Thread, Write: true, Kernel: true},
			index: int32(t),
		})
	}
}

// ended adds the end of a thread. What the kernel writes then tells it to others.
func (d *Detector) ended(t int, a *history.Access) {
	for _, w := range a.Made.Writes {
		d.synchronize(t, x86.Span{Addr: w.Address, Len: uint64(len(w.Data))}, true, true)
	}
	delete(d.threads, a.Thread)
}

// Commands of futex(2) that wait; all others release.
const (
	futexCommand   = 0x7f
	futexWait      = 0
	futexLockPI    = 6
	futexWaitBits  = 9
	futexWaitPI    = 11
	futexLockPI2   = 13
	futexRequeue   = 3
	futexCompareRq = 4
	futexWakeOp    = 5
)

func (d *Detector) futex(t int, c *history.CallMade) {
	word := x86.Span{Addr: c.Arguments[0], Len: wordSize}
	switch c.Arguments[1] & futexCommand {
	case futexWait, futexWaitBits, futexLockPI, futexLockPI2, futexWaitPI:
		d.synchronize(t, word, true, false)
		return
	case futexRequeue, futexCompareRq, futexWakeOp:
		d.synchronize(t, x86.Span{Addr: c.Arguments[4], Len: wordSize}, false, true)
	}
	d.synchronize(t, word, false, true)
}

// connect makes two new descriptors one way for messages.
func (d *Detector) connect(_ int, c *history.CallMade) {
	for _, w := range c.Writes {
		if len(w.Data) == 8 {
			file := new(clock)
			d.files[uint64(binary.LittleEndian.Uint32(w.Data))] = file
			d.files[uint64(binary.LittleEndian.Uint32(w.Data[4:]))] = file
		}
	}
}

func (d *Detector) duplicate(_ int, c *history.CallMade) {
	d.files[uint64(c.Result)] = d.file(c.Arguments[0])
}

// file returns the clock of a descriptor. One that was made before the window has its own.
func (d *Detector) file(descriptor uint64) *clock {
	file := d.files[descriptor]
	if file == nil {
		file = new(clock)
		d.files[descriptor] = file
	}
	return file
}

func (d *Detector) send(t int, c *history.CallMade) { d.release(t, d.file(c.Arguments[0])) }

func (d *Detector) receive(t int, c *history.CallMade) { d.acquire(t, *d.file(c.Arguments[0])) }

func (d *Detector) signal(t int, _ *history.CallMade) { d.release(t, &d.signals) }
