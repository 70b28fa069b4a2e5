package inplace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Between two tracers a child is not stopped. It waits in code at the unused end of its
// vdso. When the time is over, the code restores the child's state: the child continues if
// this program is killed. The code changes no memory and no flags:
//
//	0x00  syscall                  poll(NULL, 0, handOverTime)
//	0x02  mov eax, 14              rt_sigprocmask(SIG_SETMASK, mask, NULL, 8)
//	0x07  mov edi, 2
//	0x0c  lea rsi, [mask]
//	0x13  mov edx, 0
//	0x18  mov r10d, 8
//	0x1e  syscall
//	0x20  mov rax, [rip+0x41]      and so on: rdi, rsi, rdx, rcx, r10, r11
//	0x51  jmp [target]
//	0x57  nop
//	0x58  mask, target, rax, rdi, rsi, rdx, rcx, r10, r11
var handOverCode = []byte{
	0x0f, 0x05,
	0xb8, unix.SYS_RT_SIGPROCMASK, 0, 0, 0,
	0xbf, unix.SIG_SETMASK, 0, 0, 0,
	0x48, 0x8d, 0x35, 0x45, 0, 0, 0,
	0xba, 0, 0, 0, 0,
	0x41, 0xba, 8, 0, 0, 0,
	0x0f, 0x05,
	0x48, 0x8b, 0x05, 0x41, 0, 0, 0,
	0x48, 0x8b, 0x3d, 0x42, 0, 0, 0,
	0x48, 0x8b, 0x35, 0x43, 0, 0, 0,
	0x48, 0x8b, 0x15, 0x44, 0, 0, 0,
	0x48, 0x8b, 0x0d, 0x45, 0, 0, 0,
	0x4c, 0x8b, 0x15, 0x46, 0, 0, 0,
	0x4c, 0x8b, 0x1d, 0x47, 0, 0, 0,
	0xff, 0x25, 0x09, 0, 0, 0,
	0x90,
}

const (
	handOverSize = 0x58 + 9*8 // with the words
	handOverRoom = 512        // of the end of the vdso; packages guard and recording write nearer to it
)

// handOverTime is the time that a child waits for its next tracer.
var handOverTime = 10 * time.Second

// ErrRanOn reports that a child had waited too long for its tracer, and runs on.
var ErrRanOn = errors.New("it has run on before it could be traced")

// wait makes a child, which is stopped, wait when it is not traced. If its vdso has no room
// for the code, it waits until [Child.Take].
func (c *Child) wait(tracer *ptrace.Tracer) error {
	vdso, err := findVDSO(c.PID)
	if err != nil {
		return err
	}
	memory, err := ptrace.OpenMemory(c.PID)
	if err != nil {
		return err
	}
	defer func() { _ = memory.Close() }()
	waits := c.regs
	if c.code = findHandOverRoom(memory, vdso); c.code == 0 {
		site, ok := memory.FindSyscall(vdso.Start, vdso.End)
		if !ok {
			return fmt.Errorf("the vdso of process %d has no syscall instruction", c.PID)
		}
		waits.RIP, waits.RAX = site, unix.SYS_PAUSE
	} else {
		if _, err := memory.Write(c.code, c.handOver()); err != nil {
			return err
		}
		waits.RIP, waits.RAX = c.code, unix.SYS_POLL
		waits.RDI, waits.RSI, waits.RDX = 0, 0, uint64(handOverTime.Milliseconds())
	}
	return errors.Join(tracer.SetSigMask(c.PID, ^uint64(0)), tracer.SetRegs(c.PID, &waits))
}

// findHandOverRoom returns the address for the code, or 0. A killed program may have left it
// there.
func findHandOverRoom(memory *ptrace.Memory, vdso procfs.Map) uint64 {
	var room [handOverSize]byte
	at := vdso.End - handOverRoom
	if vdso.End-vdso.Start < handOverRoom {
		return 0
	}
	if n, _ := memory.Read(at, room[:]); n < len(room) {
		return 0
	}
	if bytes.HasPrefix(room[:], handOverCode) || room == [handOverSize]byte{} {
		return at
	}
	return 0
}

// handOver returns the code for a child.
func (c *Child) handOver() []byte {
	code, g := bytes.Clone(handOverCode), &c.regs
	for _, word := range [...]uint64{c.mask, g.RIP, g.RAX, g.RDI, g.RSI, g.RDX, g.RCX, g.R10, g.R11} {
		code = binary.LittleEndian.AppendUint64(code, word)
	}
	return code
}

// restore gives the child, which is in an event stop, the state that it had before it waited.
func (c *Child) restore(tracer *ptrace.Tracer) error {
	var now ptrace.Regs
	if err := tracer.Regs(c.PID, &now); err != nil {
		return err
	}
	if c.code != 0 && now.RIP-c.code >= uint64(len(handOverCode)) {
		return ErrRanOn
	}
	err := errors.Join(tracer.SetRegs(c.PID, &c.regs), tracer.SetSigMask(c.PID, c.mask))
	if c.code == 0 || err != nil {
		return err
	}
	memory, err := ptrace.OpenMemory(c.PID)
	if err != nil {
		return err
	}
	_, err = memory.Write(c.code, make([]byte, handOverSize))
	return errors.Join(err, memory.Close())
}
