package waits

import (
	"context"
	"encoding/binary"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
)

// A Wait describes the wait of a thread.
type Wait struct {
	For    string // in words
	Holder int    // the thread that must act first, 0 if it is not known
}

// A reader reads one position of a target.
type reader struct {
	inspector *inspect.Inspector
	ctx       context.Context //nolint:containedctx // of one call of Threads or Goroutine
	live      bool            // the position is the present of a process
	threads   map[int]bool    // that exist
	musl      *bool           // the C library is musl; nil if it is not known yet
}

func newReader(ctx context.Context, s *inspect.Inspector) *reader {
	_, live := s.Target.View.(*proc.Process)
	return &reader{inspector: s, ctx: ctx, live: live, threads: map[int]bool{}}
}

// Threads returns what those of the given threads that wait wait for, by their ids. All
// threads of the target are in all.
func Threads(ctx context.Context, s *inspect.Inspector, some, all []proc.ThreadInfo) map[int]Wait {
	r := newReader(ctx, s)
	for _, each := range all {
		r.threads[each.ID] = true
	}
	waits := map[int]Wait{}
	for _, each := range some {
		if ctx.Err() != nil {
			break
		}
		if call, ok := r.blockedIn(each); ok {
			if wait, ok := r.describe(each.ID, call); ok {
				waits[each.ID] = wait
			}
		}
	}
	return waits
}

// blockedIn returns the system call that a thread waits in.
func (r *reader) blockedIn(thread proc.ThreadInfo) (syscalls.Call, bool) {
	regs, err := r.inspector.Target.View.Regs(thread.ID)
	if err != nil {
		return syscalls.Call{}, false
	}
	call := syscalls.Call{Number: regs.OrigRAX, Args: [6]uint64{regs.RDI, regs.RSI, regs.RDX, regs.R10, regs.R8, regs.R9}}
	switch {
	case interrupted(&regs) && r.isSyscall(regs.RIP-syscallSize):
		if !regs.InSyscall() || call.Number == restartSyscall {
			call.Number = r.numberBefore(regs.RIP - syscallSize)
		}
		_, waits := blocking[call.Number]
		return call, waits
	case !thread.Current && r.isSyscall(regs.RIP): // recordings have threads that wait here
		call.Number = regs.RAX
		_, waits := blocking[call.Number]
		return call, waits
	}
	return call, false
}

const (
	syscallSize    = 2
	restartSyscall = 219 // what the kernel makes of some calls when it restarts them
	eintr          = 4
)

// interrupted reports whether a result is that of a call that was interrupted: the kernel
// restarts it, or it fails.
func interrupted(regs *ptrace.Regs) bool {
	in := *regs
	in.OrigRAX = 0 // recordings do not keep it
	return in.Restarts() || -int64(regs.RAX) == eintr
}

// isSyscall reports whether the instruction at an address is SYSCALL.
func (r *reader) isSyscall(addr uint64) bool {
	var code [syscallSize]byte
	return r.read(addr, code[:]) && code == [syscallSize]byte{0x0f, 0x05}
}

// numberBefore returns the number that the code before a SYSCALL instruction loads into
// eax, the maximum if there is none of a call that waits.
func (r *reader) numberBefore(addr uint64) uint64 {
	const distance, movEAX, movSize = 40, 0xb8, 5
	var code [distance]byte
	if !r.read(addr-distance, code[:]) {
		return ptrace.NoSyscall
	}
	for i := distance - movSize; i >= 0; i-- {
		if code[i] != movEAX {
			continue
		}
		number := uint64(binary.LittleEndian.Uint32(code[i+1:]))
		if _, ok := blocking[number]; ok && number != 0 {
			return number
		}
	}
	return ptrace.NoSyscall
}

// read reads memory as a syscalls.Reader does.
func (r *reader) read(addr uint64, b []byte) bool {
	return r.inspector.Target.Memory().ReadMemory(addr, b) == nil
}

// word reads 4 bytes, 0 if they cannot be read.
func (r *reader) word(addr uint64) uint32 {
	var b [4]byte
	if !r.read(addr, b[:]) {
		return 0
	}
	return binary.LittleEndian.Uint32(b[:])
}

// quad reads 8 bytes, 0 if they cannot be read.
func (r *reader) quad(addr uint64) uint64 {
	return uint64(r.word(addr)) | uint64(r.word(addr+4))<<32
}
