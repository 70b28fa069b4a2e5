package recording

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/guard"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// replaced lists the functions of the vdso, with the system calls that do the same.
var replaced = map[string]uint32{
	"__vdso_clock_gettime": unix.SYS_CLOCK_GETTIME, "__vdso_clock_getres": unix.SYS_CLOCK_GETRES,
	"__vdso_gettimeofday": unix.SYS_GETTIMEOFDAY, "__vdso_time": unix.SYS_TIME, "__vdso_getcpu": unix.SYS_GETCPU,
	"__vdso_getrandom": unix.SYS_GETRANDOM,
}

// replacement returns the code of a function of the vdso that makes a system call.
func replacement(name string, number uint32) []byte {
	call := append(binary.LittleEndian.AppendUint32([]byte{0xb8}, number), 0x0f, 0x05, 0xc3) // mov eax, number; syscall; ret
	if name != "__vdso_getrandom" {
		return call
	}
	// With -1 as its fifth argument it tells how much memory it needs. It fails then:
	// cmp r8, -1; jne call; mov rax, -ENOSYS; ret
	asks := []byte{0x49, 0x83, 0xf8, 0xff, 0x75, 0x08, 0x48, 0xc7, 0xc0, 0xda, 0xff, 0xff, 0xff, 0xc3}
	return append(asks, call...)
}

// stubsRoom is the size of the unused end of the vdso that the code takes. What package
// guard writes is behind it.
const stubsRoom = 128

// replaceVDSO makes the functions of the vdso, which read memory that the kernel writes,
// jump to code that makes system calls. That code stays: only the jumps are removed later,
// so that no thread is in the middle of code that changes. Threads that execute other code of
// the vdso leave it before, by instructions that are not recorded.
func (i *intrusion) replaceVDSO(maps procfs.Maps) error {
	n := slices.IndexFunc(maps, func(m procfs.Map) bool { return m.Path == "[vdso]" })
	if n < 0 {
		return cutError("the program has no vdso")
	}
	m := maps[n]
	code := make([]byte, m.End-m.Start)
	if _, err := i.memory.Read(m.Start, code); err != nil {
		return err
	}
	functions, err := vdsoFunctions(code)
	if err != nil {
		return fmt.Errorf("the vdso: %w", err)
	}
	at := len(code) - guard.RescueRoom - stubsRoom
	leaves := func(pc uint64) bool {
		atStart := func(f elf.Symbol) bool { return pc == m.Start+f.Value }
		return m.Contains(pc) && pc-(m.Start+uint64(at)) >= stubsRoom && !slices.ContainsFunc(functions, atStart)
	}
	for _, tid := range i.threads {
		if err := i.leaveCode(tid, leaves); err != nil {
			return err
		}
	}
	return i.replaceFunctions(m.Start, code, functions, at)
}

// replaceFunctions changes the code of the vdso, which makes system calls at an offset.
func (i *intrusion) replaceFunctions(start uint64, code []byte, functions []elf.Symbol, at int) error {
	stubs, jumps := vdsoStubs(functions, at)
	if room := code[max(0, at):][:stubsRoom]; at < 0 || !bytes.HasPrefix(room, stubs) && !bytes.Equal(room, make([]byte, stubsRoom)) {
		return cutError("the vdso of the program has no room for other code")
	}
	if _, err := i.memory.Write(start+uint64(at), stubs); err != nil {
		return err
	}
	for n, f := range functions {
		old := code[f.Value:][:jumpLength]
		if bytes.Equal(old, jumps[n]) {
			continue // a recorder was killed
		}
		i.vdso = append(i.vdso, recfile.Write{Address: start + f.Value, Data: bytes.Clone(old)})
		if _, err := i.memory.Write(start+f.Value, jumps[n]); err != nil {
			return err
		}
	}
	return nil
}

// vdsoFunctions returns the functions that are to be replaced.
func vdsoFunctions(code []byte) ([]elf.Symbol, error) {
	file, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	symbols, err := file.DynamicSymbols()
	return slices.DeleteFunc(symbols, func(s elf.Symbol) bool {
		return replaced[s.Name] == 0 || s.Size < jumpLength || s.Value+s.Size > uint64(len(code)) || s.Value+s.Size < s.Value
	}), err
}

// jumpLength is the length of a jump.
const jumpLength = 5

// vdsoStubs returns the code that makes system calls, for an offset in the vdso, and the
// jumps to it.
func vdsoStubs(functions []elf.Symbol, at int) (stubs []byte, jumps [][]byte) {
	for _, f := range functions {
		distance := at + len(stubs) - int(f.Value) - jumpLength
		jumps = append(jumps, binary.LittleEndian.AppendUint32([]byte{0xe9}, uint32(int32(distance))))
		stubs = append(stubs, replacement(f.Name, replaced[f.Name])...)
	}
	return stubs, jumps
}

// maxLeaving limits the instructions that a thread executes until it leaves the vdso.
const maxLeaving = 20_000

// leaveCode makes a thread execute instructions as long as it is at one that it must leave.
// Signals wait meanwhile. A thread that was interrupted in a system call stays.
func (i *intrusion) leaveCode(tid int, leaves func(pc uint64) bool) error {
	var regs ptrace.Regs
	if err := i.tracer.Regs(tid, &regs); err != nil || !leaves(regs.RIP) || regs.Restarts() {
		return err
	}
	mask, err := i.tracer.SigMask(tid)
	if err != nil {
		return err
	}
	const trap = 1 << (unix.SIGTRAP - 1)
	if err := i.tracer.SetSigMask(tid, ^uint64(trap)); err != nil {
		return err
	}
	for n := 0; leaves(regs.RIP); n++ {
		if n == maxLeaving {
			err = cutError("a thread does not leave the vdso")
			break
		}
		if err = i.step(tid, &regs); err != nil {
			break
		}
	}
	_, left := i.tracer.ToEventStop(tid, i.other)
	return errors.Join(err, left, i.tracer.SetSigMask(tid, mask))
}

// step makes a thread execute an instruction.
func (i *intrusion) step(tid int, regs *ptrace.Regs) error {
	if err := i.tracer.Step(tid, 0); err != nil {
		return err
	}
	for {
		e, err := i.tracer.Wait()
		switch {
		case err != nil:
			return err
		case e.Thread != tid:
			i.other(e)
		case e.Gone():
			i.other(e)
			return ptrace.ErrGone
		default:
			return i.tracer.Regs(tid, regs)
		}
	}
}
