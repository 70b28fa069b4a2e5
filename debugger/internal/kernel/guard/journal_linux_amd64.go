package guard

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Journal is memory shared with the guard, which says what has to be done when
// this program is killed. A nil journal takes nothing.
//
//	0   what is to be done, and how many bytes of records there are
//	8   address of the rescue code, and its owner
//	64  records: kind and id (4 bytes each), address, length, data
type Journal struct {
	file   *os.File
	memory []byte
	end    int
	over   bool // a record had no room
}

// What the guard does with the records of a journal.
type Work uint64

const (
	NoWork Work = iota

	// WorkAll: all threads that have records are parked or about to be.
	// Write the memory and vectors, then give the threads their registers.
	WorkAll

	// WorkThreads: memory is as it should be. Give the threads that are
	// parked their registers, and leave the others alone.
	WorkThreads

	// WorkCall: a thread makes a system call of ours. When it is parked
	// write the memory and give it its registers; if it has not begun, or is
	// behind it, only its signal mask.
	WorkCall

	// WorkMemory: write the memory. Threads have no records.
	WorkMemory

	// WorkFunction: a thread executes a function that we have called. When it has
	// returned, or has not returned in time, restore its vector state and registers.
	WorkFunction
)

// Kinds of records.
const (
	recordMemory = iota + 1
	recordThread
	recordVector
)

const (
	journalRescue = 8
	journalBegin  = 64
	journalSize   = 96 << 20 // of addresses; memory is taken as it is used
	recordHead    = 24
	stateBits     = 3
)

// NewJournal makes an empty one.
func NewJournal() (*Journal, error) {
	fd, err := unix.MemfdCreate("triptych-journal", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make a journal: %w", err)
	}
	f := os.NewFile(uintptr(fd), "journal")
	if err := unix.Ftruncate(fd, journalSize); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("make a journal: %w", err)
	}
	return mapJournal(f)
}

// mapJournal maps a journal that exists.
func mapJournal(f *os.File) (*Journal, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, journalSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("map a journal: %w", err)
	}
	return &Journal{file: f, memory: b, end: journalBegin}, nil
}

func (j *Journal) Close() {
	if j != nil {
		_ = unix.Munmap(j.memory)
		_ = j.file.Close()
	}
}

func (j *Journal) control() *uint64 { return (*uint64)(unsafe.Pointer(&j.memory[0])) }

// SetRescue notes where the rescue code is, and its owner.
func (j *Journal) SetRescue(at uint64, owner uint32) {
	binary.LittleEndian.PutUint32(j.memory[journalRescue+8:], owner)
	binary.LittleEndian.PutUint64(j.memory[journalRescue:], at)
}

func (j *Journal) rescue() (at uint64, owner []byte) {
	return binary.LittleEndian.Uint64(j.memory[journalRescue:]), j.memory[journalRescue+8:][:4]
}

// Publish makes the records so far what the guard reads. It reports false, and
// leaves what was published before, if some had no room.
func (j *Journal) Publish(state Work) bool {
	if j.over {
		return false
	}
	atomic.StoreUint64(j.control(), uint64(j.end-journalBegin)<<stateBits|uint64(state))
	return true
}

// Published returns what is published, for Republish.
func (j *Journal) Published() uint64 { return atomic.LoadUint64(j.control()) }

// Republish makes what was published before what the guard reads again. The records of
// it must not have been dropped meanwhile.
func (j *Journal) Republish(published uint64) { atomic.StoreUint64(j.control(), published) }

// Length is that of the records so far.
func (j *Journal) Length() int {
	if j == nil {
		return 0
	}
	return j.end - journalBegin
}

// journalKept limits the memory that a journal keeps for reuse, in bytes.
const journalKept = 1 << 20

// Truncate drops the records behind a length. What is published stays.
func (j *Journal) Truncate(length int) {
	if j == nil {
		return
	}
	if j.end > journalBegin+length+journalKept {
		_ = unix.Madvise(j.memory[journalKept:], unix.MADV_REMOVE)
	}
	j.end, j.over = journalBegin+length, false
}

// add appends a record.
func (j *Journal) add(kind, id int, address uint64, data []byte) {
	if j == nil || j.over {
		return
	}
	size := recordHead + (len(data)+7)&^7
	if j.over = j.end+size > len(j.memory); j.over {
		return
	}
	b := j.memory[j.end:]
	binary.LittleEndian.PutUint32(b, uint32(kind))
	binary.LittleEndian.PutUint32(b[4:], uint32(id))
	binary.LittleEndian.PutUint64(b[8:], address)
	binary.LittleEndian.PutUint64(b[16:], uint64(len(data)))
	copy(b[recordHead:], data)
	j.end += size
}

// Thread notes the registers that a thread is to have, and its signal mask unless
// that is nil.
func (j *Journal) Thread(tid int, regs *ptrace.Regs, mask *uint64) {
	words := regs.Words()
	b := unsafe.Slice((*byte)(unsafe.Pointer(words)), len(words)*8)
	if mask != nil {
		b = binary.LittleEndian.AppendUint64(append(make([]byte, 0, len(b)+8), b...), *mask)
	}
	j.add(recordThread, tid, 0, b)
}

// Vector notes the vector state that a thread is to have, unless that is nil.
func (j *Journal) Vector(tid int, state []byte) {
	if state != nil {
		j.add(recordVector, tid, 0, state)
	}
}

// Write notes memory that is to be written.
func (j *Journal) Write(pid int, address uint64, data []byte) {
	j.add(recordMemory, pid, address, data)
}
