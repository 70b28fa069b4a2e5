package recording

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// failed reports whether the result of a system call is an error.
func failed(result uint64) bool { return int64(result) < 0 && int64(result) > -4096 }

// mappings are the mappings of the program, as system calls change them. It needs no lock: only the
// recorder uses it.
type mappings struct {
	run          *inplace.Runner // of the program
	files        files           // that are mapped
	shared       sharedFiles     // in shared memory
	heap         uint64          // end of the heap
	withChildren bool            // there is anonymous memory that children share
}

// check returns why a system call cannot be recorded, as a cutError.
func (p *mappings) check(g *ptrace.Regs) error {
	if reason, ok := unrecordable[g.RAX]; ok {
		return cutError(reason)
	}
	switch g.RAX {
	case unix.SYS_PRCTL:
		const dispatch = 59 // PR_SET_SYSCALL_USER_DISPATCH
		if g.RDI == unix.PR_SET_SECCOMP || g.RDI == dispatch {
			return cutError("the program restricts its system calls by prctl")
		}
	case unix.SYS_MMAP:
		if g.R10&unix.MAP_ANONYMOUS == 0 {
			return p.shared.checkMap(g)
		}
	case unix.SYS_MPROTECT, unix.SYS_PKEY_MPROTECT:
		return p.shared.checkProtect(g)
	case unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_FORK, unix.SYS_VFORK:
		if flags, _ := cloneFlags(p.run, g); p.withChildren && flags&unix.CLONE_THREAD == 0 {
			return cutError("the program would share memory with a child")
		}
	}
	return p.shared.checkPassing(g)
}

// replaced reports whether a system call that has returned has replaced mappings. What they have now is
// that of the file, or nothing, and is not read: it may be a whole library.
func (p *mappings) replaced(g *ptrace.Regs) bool {
	return (g.RAX == unix.SYS_MMAP || g.RAX == unix.SYS_MUNMAP) && !failed(p.run.Regs.RAX)
}

// remap records how a system call that has returned changed the mappings.
func (p *mappings) remap(e *recfile.Event, g *ptrace.Regs) error {
	result := p.run.Regs.RAX
	if failed(result) {
		return nil
	}
	m := recfile.Mapping{Start: g.RDI, Length: pageUp(g.RSI), Protection: uint32(g.RDX & 7), File: -1}
	switch g.RAX {
	case unix.SYS_MMAP:
		m.Start = result
		return p.add(e, g, m)
	case unix.SYS_MUNMAP:
		m.Protection = 0
		e.Remap = recfile.Remap{Kind: recfile.Unmap, Mapping: m}
		e.Writes = nil
		return p.files.noteUnmapped(m.Start)
	case unix.SYS_MPROTECT, unix.SYS_PKEY_MPROTECT:
		if g.RDX&(unix.PROT_GROWSDOWN|unix.PROT_GROWSUP) != 0 {
			return cutError("the program protects memory that grows")
		}
		e.Remap = recfile.Remap{Kind: recfile.Protect, Mapping: m}
	case unix.SYS_MREMAP:
		if g.R10&unix.MREMAP_DONTUNMAP != 0 || g.RSI == 0 {
			return cutError("the program maps memory twice")
		}
		m.Protection = 0
		e.Remap = recfile.Remap{Kind: recfile.Move, Mapping: m, To: result, ToLen: pageUp(g.RDX)}
		var err error
		e.Writes, err = p.shared.grown(result, m.Length, e.Remap.ToLen)
		return err
	case unix.SYS_MADVISE:
		e.Writes = nil
		return p.advised(e, g, m)
	case unix.SYS_BRK:
		p.moveBreak(e, result)
	}
	return nil
}

// advised records advice on memory that has changed its contents.
func (p *mappings) advised(e *recfile.Event, g *ptrace.Regs, m recfile.Mapping) error {
	switch g.RDX {
	case unix.MADV_REMOVE:
		return cutError("the program removes a part of a mapped file")
	case unix.MADV_DONTNEED, unix.MADV_FREE, 24: // MADV_DONTNEED_LOCKED
	default:
		return nil
	}
	keeps, err := p.shared.discarded(m.Start, m.Length)
	if keeps || err != nil {
		return err
	}
	m.Protection = 0
	e.Remap = recfile.Remap{Kind: recfile.Discard, Mapping: m}
	return nil
}

// add records a new mapping.
func (p *mappings) add(e *recfile.Event, g *ptrace.Regs, m recfile.Mapping) error {
	e.Writes = nil
	if g.R10&unix.MAP_ANONYMOUS != 0 {
		p.withChildren = p.withChildren || g.R10&unix.MAP_SHARED != 0
		p.shared.sharing = p.shared.sharing || p.withChildren
		e.Remap = recfile.Remap{Kind: recfile.Map, Mapping: m}
		return nil
	}
	direct := descriptorPath(p.run.Thread(), int(int32(g.R8)))
	path, err := os.Readlink(direct)
	if err != nil {
		return err
	}
	m.Name = path
	if g.R10&unix.MAP_SHARED != 0 {
		if err := p.shared.noteMapped(m.Start, g); err != nil {
			return err
		}
	} else if strings.HasPrefix(path, "/") {
		m.File = p.files.add(path, direct)
	}
	if m.File >= 0 {
		p.files.noteMapped(m.Start, m.File)
		m.Offset = g.R9
		e.Remap = recfile.Remap{Kind: recfile.Map, Mapping: m}
		return nil
	}
	e.Remap = recfile.Remap{Kind: recfile.Map, Mapping: m}
	const most = 1 << 28
	if m.Length > most {
		return cutError("the program maps a large file in shared memory, or one that a replay may not find: " + path)
	}
	b := make([]byte, m.Length)
	n, _ := p.run.Memory().Read(m.Start, b) // up to the end of the file
	e.Writes = appendPages(nil, m.Start, append(b[:n], make([]byte, len(b)-n)...), nil)
	return nil
}

// moveBreak records the move of the end of the heap.
func (p *mappings) moveBreak(e *recfile.Event, end uint64) {
	e.Writes = nil
	from, to := pageUp(p.heap), pageUp(end)
	p.heap = end
	m := recfile.Mapping{File: -1, Name: "[heap]"}
	switch {
	case to > from:
		m.Start, m.Length, m.Protection = from, to-from, unix.PROT_READ|unix.PROT_WRITE
		e.Remap = recfile.Remap{Kind: recfile.Map, Mapping: m}
	case to < from:
		m.Start, m.Length = to, from-to
		e.Remap = recfile.Remap{Kind: recfile.Unmap, Mapping: m}
	}
}

func pageUp(n uint64) uint64 { return (n + pageSize - 1) &^ (pageSize - 1) }
