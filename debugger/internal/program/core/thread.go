package core

import (
	"encoding/binary"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Where things are in struct elf_prstatus (include/linux/elfcore.h).
const (
	prSignal     = 12
	prPID        = 32
	prRegs       = 112
	prStatusSize = prRegs + 8*ptrace.NumRegs
)

// A thread is a thread of the process. Its vector state is read from the file when it
// is first needed.
type thread struct {
	id     int
	signal int // that it stopped with
	regs   ptrace.Regs
	info   *ptrace.SigInfo // nil when there is none
	xstate note            // of the kind noteXState or noteFPRegs; kind 0 when there is none
}

// readPRStatus begins a thread; the notes behind it are of the same one.
func (f *File) readPRStatus(n note) error {
	if len(f.threads) == maxThreads {
		return malformed("it has more than %d threads", maxThreads)
	}
	if err := f.memory.Take(listedCost); err != nil {
		return err
	}
	b, err := n.contents(f.r, prStatusSize, 1<<10)
	if err != nil {
		return err
	}
	status := field(b)
	t := thread{id: int(status.uint32(prPID)), signal: int(status.uint16(prSignal))}
	if _, err := binary.Decode(b[prRegs:], binary.LittleEndian, &t.regs); err != nil {
		return err
	}
	if _, twice := f.byID[t.id]; twice {
		return malformed("it has the thread %d twice", t.id)
	}
	f.byID[t.id] = len(f.threads)
	f.threads = append(f.threads, t)
	return nil
}

// last is the thread that notes belong to, nil before the first one.
func (f *File) last() *thread {
	if len(f.threads) == 0 {
		return nil
	}
	return &f.threads[len(f.threads)-1]
}

func (f *File) readSigInfo(n note) error {
	t := f.last()
	if t == nil {
		return nil
	}
	t.info = new(ptrace.SigInfo)
	b, err := n.contents(f.r, uint64(len(t.info)), uint64(len(t.info)))
	copy(t.info[:], b)
	return err
}

// readXState remembers where the vector state is.
func (f *File) readXState(n note) error {
	if t := f.last(); t != nil && n.size <= maxXState && n.size >= fxsaveSize {
		t.xstate = n
	}
	return nil
}

// fxsaveSize is the size of the registers of the x87 and SSE units, which the
// vector state begins with.
const (
	fxsaveSize = 512
	legacySize = fxsaveSize + len(legacyHeader)
)

// legacyHeader is the header of a state which has no other registers (Intel SDM
// volume 1, 13.4.2).
var legacyHeader = [64]byte{0b11}

// readFPRegs is for files without the whole vector state.
func (f *File) readFPRegs(n note) error {
	if t := f.last(); t != nil && n.size == fxsaveSize && t.xstate.kind == 0 {
		t.xstate = n
	}
	return nil
}

// thread finds a thread, 0 being the current one.
func (f *File) thread(id int) (*thread, error) {
	if id == 0 {
		return &f.threads[0], nil
	}
	i, ok := f.byID[id]
	if !ok {
		return nil, proc.ErrNoThread
	}
	return &f.threads[i], nil
}

// Threads lists the threads by id. The current one is that which the signal was
// for, or that gdb had chosen. Only the name of the first thread of a process
// is known.
func (f *File) Threads() []proc.ThreadInfo {
	all := make([]proc.ThreadInfo, len(f.threads))
	for i, t := range f.threads {
		all[i] = proc.ThreadInfo{ID: t.id, Current: i == 0}
		if t.id == f.pid {
			all[i].Name = f.name
		}
	}
	slices.SortFunc(all, func(a, b proc.ThreadInfo) int { return a.ID - b.ID })
	return all
}

// Regs are the registers of a thread, 0 being the current one. It answers
// [proc.ErrNoThread].
func (f *File) Regs(thread int) (ptrace.Regs, error) {
	t, err := f.thread(thread)
	if err != nil {
		return ptrace.Regs{}, err
	}
	return t.regs, nil
}

// XState is the vector state of a thread in the layout of XSAVE, in buf if that
// is long enough. Of some core files it has the x87 and SSE registers only, of
// others there is none.
func (f *File) XState(thread int, buf []byte) ([]byte, error) {
	t, err := f.thread(thread)
	if err != nil {
		return nil, err
	}
	if t.xstate.kind == 0 {
		return nil, errNoVectors
	}
	buf = slices.Grow(buf[:0], int(t.xstate.size))[:t.xstate.size]
	err = readAll(f.r, t.xstate.at, buf)
	if len(buf) < legacySize { // without the header
		buf = append(buf[:fxsaveSize], legacyHeader[:]...)
	}
	return buf, err
}
