package recording

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// effects finds out what system calls and signals have written to the memory of the program. It needs
// no lock: only the recorder uses it.
type effects struct {
	log    *eventLog
	mapped *sharedFiles
}

// written returns what a system call has written to the given memory.
func (w *effects) written(g *ptrace.Regs, spans []x86.Span) ([]recfile.Write, error) {
	limit := uint64(1) << 28
	if syscalls.Counted(g.RAX) {
		limit = w.log.run.Regs.RAX
		if int64(limit) < 0 {
			limit = 0
		}
	}
	var writes []recfile.Write
	total := uint64(0)
	for _, s := range spans {
		if total += min(s.Len, limit); total > maxSnapshot {
			return nil, cutError(fmt.Sprintf("system call %d may have written more than a gigabyte", g.RAX))
		}
		b := make([]byte, min(s.Len, limit))
		if syscalls.Counted(g.RAX) {
			limit -= uint64(len(b))
		}
		if len(b) == 0 {
			continue
		}
		if n, _ := w.log.run.Memory().Read(s.Addr, b); n > 0 { // the kernel writes no further either
			writes = append(writes, recfile.Write{Address: s.Addr, Data: b[:n]})
		}
	}
	return writes, nil
}

// A snapshot is a copy of the writable memory.
type snapshot struct {
	maps   procfs.Maps
	memory map[uint64][]byte // by start of the mapping
}

// maxSnapshot limits the bytes of a snapshot, and of other memory that is copied at once.
const maxSnapshot = 1 << 30

// sharedMemory is the path of anonymous shared memory. Other shared memory that can be
// written is the code cache's, or that of files.
const sharedMemory = "/dev/zero (deleted)"

// snapshot copies the writable memory, before a system call of which it is unknown what
// it writes.
func (w *effects) snapshot() (*snapshot, error) {
	maps, err := procfs.ReadMaps(w.log.run.Thread())
	if err != nil {
		return nil, err
	}
	s := &snapshot{maps: maps, memory: make(map[uint64][]byte)}
	total := uint64(0)
	for _, m := range maps {
		if !m.Write || m.Shared && m.Path != sharedMemory && w.mapped.of(m) == nil {
			continue
		}
		if total += m.End - m.Start; total > maxSnapshot {
			return nil, cutError(unknownWrites(w.log.run.Regs.RAX))
		}
		b := make([]byte, m.End-m.Start)
		n, _ := w.log.run.Memory().Read(m.Start, b)
		s.memory[m.Start] = b[:n]
	}
	return s, nil
}

// unknownWrites is the reason that ends a recording before a system call.
func unknownWrites(number uint64) string {
	if forks[number] {
		return "a child would run in the memory of the program, of which there is too much to compare; a program with AddressSanitizer starts one at its end, unless it has ASAN_OPTIONS=detect_leaks=0"
	}
	return fmt.Sprintf("it is unknown what system call %d writes, and there is too much memory to compare", number)
}

// checkUnknown ends the recording if a system call of unknown effect has written memory
// though it was interrupted.
func (w *effects) checkUnknown(c *call) error {
	if c.all == nil {
		return nil
	}
	writes, err := w.differences(c.all, c.effect.Name, c.regs.RAX)
	if err == nil && len(writes) > 0 {
		err = cutError(fmt.Sprintf("system call %d %s has written memory, and was interrupted", c.regs.RAX, c.effect.Name))
	}
	return err
}

// overlay copies the part of another write that is to the same memory.
func overlay(w, other recfile.Write) {
	from := max(w.Address, other.Address)
	to := min(w.Address+uint64(len(w.Data)), other.Address+uint64(len(other.Data)))
	if from < to {
		copy(w.Data[from-w.Address:to-w.Address], other.Data[from-other.Address:])
	}
}

// apply writes to a snapshot.
func (s *snapshot) apply(w recfile.Write) {
	if m, ok := s.maps.Find(w.Address); ok {
		overlay(recfile.Write{Address: m.Start, Data: s.memory[m.Start]}, w)
	}
}

// differences returns what has changed since a snapshot.
func (w *effects) differences(s *snapshot, name string, number uint64) ([]recfile.Write, error) {
	maps, err := procfs.ReadMaps(w.log.run.Thread())
	if err != nil {
		return nil, err
	}
	if len(maps) != len(s.maps) {
		return nil, cutError(fmt.Sprintf("system call %d %s has changed the mappings in an unknown way", number, name))
	}
	var writes []recfile.Write
	for n, m := range maps {
		if old := s.maps[n]; m != old && m.Path != "[stack]" {
			return nil, cutError(fmt.Sprintf("system call %d %s has changed the mappings in an unknown way", number, name))
		}
		old, ok := s.memory[s.maps[n].Start]
		if !ok {
			continue
		}
		now := make([]byte, len(old))
		if _, err := w.log.run.Memory().Read(s.maps[n].Start, now); err != nil {
			return nil, err
		}
		for at := 0; at < len(now); at += pageSize {
			if end := min(at+pageSize, len(now)); !bytes.Equal(old[at:end], now[at:end]) {
				writes = append(writes, recfile.Write{Address: s.maps[n].Start + uint64(at), Data: now[at:end]})
			}
		}
	}
	return writes, nil
}

// prepare copies the memory that must be known as it was before a call.
func (w *effects) prepare(c *call) (err error) {
	if err = w.copyChanged(c); err == nil {
		c.file, err = w.mapped.changes(&c.regs)
	}
	return err
}

// copyChanged copies the memory that the kernel changes when a call, which is about to begin,
// is interrupted.
func (w *effects) copyChanged(c *call) (err error) {
	if interruptible[c.regs.RAX] && len(w.log.threads) > 1 {
		c.changed, err = w.written(&c.regs, c.effect.Writes)
	}
	return err
}

// of returns what a system call will write.
func (w *effects) of(g *ptrace.Regs) syscalls.Effect {
	call := syscalls.Call{Number: g.RAX, Args: [6]uint64{g.RDI, g.RSI, g.RDX, g.R10, g.R8, g.R9}}
	return syscalls.Of(call, func(addr uint64, b []byte) bool {
		_, err := w.log.run.Memory().Read(addr, b)
		return err == nil
	})
}

// Offsets in a signal's frame: the pointer to its vector state, and in that the size
// (struct rt_sigframe, struct _fpx_sw_bytes).
const (
	frameVector     = 232
	frameVectorSize = 468
	frameSize       = 8 + 304 + 8 + 128 // return address, ucontext, siginfo
)

// frame returns the frame of the signal whose handler begins.
func (w *effects) frame() (recfile.Write, error) {
	sp := w.log.run.Regs.RSP
	end := sp + frameSize
	var pointer [8]byte
	if _, err := w.log.run.Memory().Read(sp+frameVector, pointer[:]); err != nil {
		return recfile.Write{}, err
	}
	if at := binary.LittleEndian.Uint64(pointer[:]); at != 0 {
		var size [4]byte
		if _, err := w.log.run.Memory().Read(at+frameVectorSize, size[:]); err != nil {
			return recfile.Write{}, err
		}
		end = max(end, at+uint64(binary.LittleEndian.Uint32(size[:])))
	}
	if end-sp > recfile.MaxVector {
		return recfile.Write{}, fmt.Errorf("the frame of a signal has %d bytes", end-sp)
	}
	b := make([]byte, end-sp)
	_, err := w.log.run.Memory().Read(sp, b)
	return recfile.Write{Address: sp, Data: b}, err
}
