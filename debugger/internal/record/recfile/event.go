package recfile

import (
	"encoding/binary"
	"fmt"
	"syscall"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A Kind is the kind of an event.
type Kind uint8

// The kinds of events.
const (
	Image  Kind = iota + 1 // a program begins: its first state
	Call                   // a system call has returned
	Native                 // an instruction like rdtsc, whose result is an input
	Signal                 // a signal was delivered to its handler
	Ended                  // the process ended
	Cut                    // the recording ended before the process did
	Switch                 // another thread executes instructions from now on
	Exit                   // the current thread has ended, and not the process
	lastKind
)

// An Event is an input of the program: what registers and memory do not determine.
type Event struct {
	Kind     Kind
	Position uint64 // of the state before it
	Number   uint64 // of the system call or signal, or id of the thread of Switch and Exit
	Hash     uint64 // of the registers before it; 0 if it is not checked

	// Immediate says that no instruction can run before the event, because the
	// system call before it was interrupted: the kernel restarts it, or delivers a
	// signal.
	Immediate bool

	Registers []Register // that it changes, Image: all
	Writes    []Write
	Vector    []byte // the vector state, in the layout of XSAVE; nil if it does not change
	Remap     Remap  // of a system call
	Mappings  []Mapping
	Threads   []Thread // Call: that it has started; Image: all but the current one
	Current   int      // Image: the current thread, if it is not the first one

	Status int    // Ended: exit status, or -1 if a signal has killed the process; Image: process id
	Reason string // Cut
}

// A Register is a new value of a register. The number is an index of ptrace.Regs.Words.
type Register struct {
	Number uint8
	Value  uint64
}

// A Thread is the first state of a thread.
type Thread struct {
	ID        int
	Registers []Register // those that are not listed are 0
	Vector    []byte
}

// A Write is memory that an input has written.
type Write struct {
	Address uint64
	Data    []byte
}

// A Remap is a change of mappings by a system call.
type Remap struct {
	Kind    RemapKind
	Mapping Mapping // Map: the new one; else its range, and its protection of Protect
	To      uint64  // Move: the new address
	ToLen   uint64  // Move: the new length
}

// A RemapKind is the kind of a Remap.
type RemapKind uint8

// The kinds of remaps.
const (
	NoRemap RemapKind = iota
	Map               // adds a mapping, in place of what was there
	Unmap
	Protect
	Move
	Discard // the memory reads again as when it was mapped
	lastRemap
)

// A Mapping is a range of memory. It is private.
type Mapping struct {
	Start, Length uint64
	Protection    uint32 // of mmap(2)
	File          int    // index in the table of files, or -1
	Offset        uint64 // in the file
	Name          string // for people: [heap], or the path of a file whose contents are in Writes
}

// A File is a file that the program has mapped.
type File struct {
	Path   string
	Size   int64
	Digest [32]byte // SHA-256
}

// HashRegisters returns the hash of registers (FNV-1a of their words). The resume flag is
// left out: the processor sets it when an instruction faults.
func HashRegisters(r *ptrace.Regs) uint64 {
	h := uint64(14695981039346656037)
	var b [8]byte
	for n, w := range r.Words() {
		switch n {
		case OrigRAX:
			continue
		case eflags:
			w &^= ptrace.ResumeFlag
		}
		binary.LittleEndian.PutUint64(b[:], w)
		for _, c := range b {
			h = (h ^ uint64(c)) * 1099511628211
		}
	}
	return max(h, 1)
}

// Indexes of OrigRAX, which is no register of the processor, CS and EFlags.
const (
	OrigRAX     = 15
	codeSegment = 17
	eflags      = 18
)

// LongMode is the code segment of 64-bit code. Other code is not recorded.
const LongMode = 0x33

// ChangedRegisters returns the registers of b that differ from those of a.
func ChangedRegisters(a, b *ptrace.Regs) []Register {
	var list []Register
	for n, w := range b.Words() {
		if n != OrigRAX && w != a.Words()[n] {
			list = append(list, Register{uint8(n), w})
		}
	}
	return list
}

// SetRegisters changes registers.
func SetRegisters(r *ptrace.Regs, list []Register) {
	for _, x := range list {
		r.Words()[x.Number] = x.Value
	}
}

// Describe describes an event that ends a recording.
func (e *Event) Describe() string {
	switch {
	case e.Kind == Cut:
		return "the recording ends here: " + e.Reason
	case e.Status < 0:
		return fmt.Sprintf("the program was killed here by signal %d (%v)", e.Number, syscall.Signal(e.Number&127))
	}
	return fmt.Sprintf("the program ended here with status %d", e.Status)
}

// Positions returns how many positions an event takes.
func (e *Event) Positions() uint64 {
	if e.Kind == Ended || e.Kind == Cut || e.Kind == Image && e.Number == 0 {
		return 0
	}
	return 1
}
