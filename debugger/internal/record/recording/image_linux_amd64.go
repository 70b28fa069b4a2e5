package recording

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// pageSize is the size of a page.
const pageSize = recfile.PageSize

// image returns the event of a program that is stopped before its first instruction.
func (f *files) image(tracer *ptrace.Tracer, pid int) (recfile.Event, error) {
	e := recfile.Event{Kind: recfile.Image, Status: pid}
	memory, err := ptrace.OpenMemory(pid)
	if err != nil {
		return e, err
	}
	defer func() { _ = memory.Close() }()
	var regs ptrace.Regs
	if err := tracer.Regs(pid, &regs); err != nil {
		return e, err
	}
	if regs.CS != recfile.LongMode {
		return e, errMode
	}
	if err := hideVDSO(memory, regs.RSP); err != nil {
		return e, err
	}
	e.Registers = recfile.ChangedRegisters(new(ptrace.Regs), &regs)
	if e.Vector, err = replay.VectorState(tracer, pid); err != nil {
		return e, err
	}
	maps, err := procfs.ReadMaps(pid)
	if err != nil {
		return e, err
	}
	for _, m := range maps {
		if err := f.addMapping(&e, memory, m, maps); err != nil {
			return e, fmt.Errorf("mapping of %s at %#x: %w", m.Path, m.Start, err)
		}
	}
	return e, nil
}

// addMapping adds a mapping of a new program, and the memory in which it differs from
// its file.
func (f *files) addMapping(e *recfile.Event, memory *ptrace.Memory, m procfs.Map, maps procfs.Maps) error {
	if strings.HasPrefix(m.Path, "[v") { // vdso, vvar, vsyscall
		return nil
	}
	if m.End-m.Start > maxSnapshot {
		return cutError("the program has more than a gigabyte in one piece at its start")
	}
	n := recfile.Mapping{Start: m.Start, Length: m.End - m.Start, Protection: protection(m), File: -1, Name: m.Path}
	if strings.HasPrefix(m.Path, "/") {
		path := fmt.Sprintf("/proc/%d/map_files/%x-%x", memory.PID(), m.Start, m.End)
		if n.File = f.add(m.Path, path); n.File >= 0 {
			n.Offset = m.Offset
			e.Mappings = append(e.Mappings, n)
			return f.addOwn(e, memory, n)
		}
	}
	b := make([]byte, n.Length)
	if k, err := memory.Read(m.Start, b); err != nil && strings.HasPrefix(m.Path, "/") {
		b = b[:k] // up to the end of the file
	} else if err != nil && m.Read {
		return fmt.Errorf("read %d of %d bytes: %w", k, len(b), err)
	}
	if m.Path == "[stack]" {
		n = wholeStack(n, maps)
	}
	e.Mappings = append(e.Mappings, n)
	e.Writes = appendPages(e.Writes, m.Start, b, nil)
	return nil
}

// addOwn adds the pages in which a mapping differs from its file. They are among those that the
// process has copies of, which are few: the kernel has cleared the end of one.
func (f *files) addOwn(e *recfile.Event, memory *ptrace.Memory, m recfile.Mapping) error {
	pages, err := ptrace.OpenPageMap(memory.PID())
	if err != nil {
		return err
	}
	defer func() { _ = pages.Close() }()
	own, err := pages.Own(context.Background(), ptrace.Range{Start: m.Start, End: m.Start + m.Length})
	if err != nil {
		return err
	}
	for _, part := range own {
		b := make([]byte, part.Len())
		n, err := memory.Read(part.Start, b)
		if err != nil {
			return fmt.Errorf("read %d of %d bytes: %w", n, len(b), err)
		}
		original := f.read(m.File, m.Offset+part.Start-m.Start, len(b))
		e.Writes = appendPages(e.Writes, part.Start, b, original)
	}
	return nil
}

// appendPages appends the pages of b that differ from the original contents, which are
// zero from where they end on.
func appendPages(writes []recfile.Write, addr uint64, b, original []byte) []recfile.Write {
	var zero [pageSize]byte
	for at := 0; at < len(b); at += pageSize {
		page, old := b[at:at+pageSize], zero[:]
		if at < len(original) {
			old = slices.Concat(original[at:min(len(original), at+pageSize)], zero[:max(0, at+pageSize-len(original))])
		}
		if !bytes.Equal(page, old) {
			writes = append(writes, recfile.Write{Address: addr + uint64(at), Data: page})
		}
	}
	return writes
}

// wholeStack makes the mapping of the stack as large as the stack may become.
func wholeStack(m recfile.Mapping, maps procfs.Maps) recfile.Mapping {
	const most = 1 << 30
	var limit unix.Rlimit
	size := uint64(8 << 20)
	if unix.Getrlimit(unix.RLIMIT_STACK, &limit) == nil {
		size = min(limit.Cur, most) &^ (pageSize - 1)
	}
	end, start := m.Start+m.Length, m.Start
	if size > m.Length {
		start = end - size
	}
	for _, other := range maps {
		if other.End <= m.Start {
			start = max(start, other.End)
		}
	}
	m.Start, m.Length = start, end-start
	return m
}

func protection(m procfs.Map) uint32 {
	p := uint32(0)
	for n, on := range [...]bool{m.Read, m.Write, m.Execute} {
		if on {
			p |= 1 << n // PROT_READ, PROT_WRITE, PROT_EXEC
		}
	}
	return p
}

// auxIgnore is the type of an entry of the auxiliary vector that programs ignore (AT_IGNORE).
const auxIgnore = 1

// hideVDSO hides the vdso from a new program, which then reads clocks by system calls.
func hideVDSO(memory *ptrace.Memory, sp uint64) error {
	const most = 1 << 22 // more than the arguments of a program, see execve(2)
	stack := make([]byte, most)
	n, _ := memory.Read(sp, stack) // up to the end of the stack
	stack = stack[:n&^7]
	word := func(at int) uint64 {
		if at+8 > len(stack) {
			return 0
		}
		return binary.LittleEndian.Uint64(stack[at:])
	}
	at := 8 * (int(min(word(0), most)) + 2) // after the arguments and a null pointer
	for word(at) != 0 {
		at += 8
	}
	for at += 8; at+16 <= len(stack) && word(at) != 0; at += 16 {
		if word(at) == ptrace.AuxVDSO {
			_, err := memory.Write(sp+uint64(at), binary.LittleEndian.AppendUint64(nil, auxIgnore))
			return err
		}
	}
	return nil // there is none
}

// startBreak is the field of /proc/PID/stat that says where the heap begins, see
// proc_pid_stat(5).
const startBreak = 47

// programBreak returns where the heap of a new program begins.
func programBreak(pid int) (uint64, error) {
	list, err := statAddresses(pid, startBreak)
	if err != nil {
		return 0, err
	}
	return list[0], nil
}

// statAddresses returns fields of /proc/PID/stat.
func statAddresses(pid int, fields ...int) ([]uint64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil, err
	}
	list := make([]uint64, len(fields))
	for n, field := range fields {
		value, err := procfs.StatField(string(text), field)
		if err != nil {
			return nil, err
		}
		if list[n], err = strconv.ParseUint(value, 10, 64); err != nil {
			return nil, err
		}
	}
	return list, nil
}
