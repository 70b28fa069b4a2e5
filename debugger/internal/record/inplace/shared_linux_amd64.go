package inplace

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
)

// Sizes of the memory.
const (
	arenaSize  = 128 << 20
	maxArenas  = 4
	sharedSize = bufferAt + bufferSize
	targetsAt  = 0
	arrivalsAt = contextAt - translate.ArrivalsSize
	contextAt  = targetsAt + translate.TargetsSize
	arenasAt   = contextAt + translate.ContextSize
	bufferAt   = arenasAt + maxArenas*arenaSize
	bufferSize = 1 << 20
)

// regions are the parts of the memory, and how they are mapped into the process.
var regions = [...]struct{ offset, size, protection uint64 }{
	{targetsAt, arrivalsAt - targetsAt, unix.PROT_READ},
	{arrivalsAt, arenasAt - arrivalsAt, unix.PROT_READ | unix.PROT_WRITE},
	{arenasAt, maxArenas * arenaSize, unix.PROT_READ | unix.PROT_EXEC},
	{bufferAt, bufferSize, unix.PROT_READ | unix.PROT_WRITE},
}

// shared is the memory that this program shares with the process.
type shared struct {
	bytes  []byte
	remote [len(regions)]uint64 // addresses in the process, which are not used
	arenas int
	mapped []mapping // in the process
}

// A mapping is a part of the memory that is mapped into the process.
type mapping struct {
	ptrace.Range
	offset, protection uint64
}

// noteMapped notes a mapping.
func (s *shared) noteMapped(at, size, offset, protection uint64) {
	s.mapped = append(s.mapped, mapping{ptrace.Range{Start: at, End: at + size}, offset, protection})
}

// mapShared makes the memory and maps it into the process.
func mapShared(r *Runner) (*shared, error) {
	s := new(shared)
	if err := s.mapByMemfd(r, func(fd uint64) error { return s.mapThere(r, fd) }); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// mapByMemfd maps the memory of a new memfd into this program, and by f into the process.
func (s *shared) mapByMemfd(r *Runner, f func(fd uint64) error) error {
	fd, err := r.space.createMemfd()
	if err != nil {
		return fmt.Errorf("create a memfd: %w", err)
	}
	if err = s.mapHere(r.tid, fd); err == nil {
		err = f(fd)
	}
	_, closed := r.space.inject(unix.SYS_CLOSE, fd)
	return errors.Join(err, closed)
}

// memfdExec is MFD_EXEC, since Linux 6.3.
const memfdExec = 0x10

// createMemfd creates the memfd in the process.
func (cs *codeSpace) createMemfd() (uint64, error) {
	name, err := cs.emptyName()
	if err != nil {
		return 0, err
	}
	fd, err := cs.inject(unix.SYS_MEMFD_CREATE, name, unix.MFD_CLOEXEC|memfdExec)
	if errors.Is(err, unix.EINVAL) { // an older kernel
		fd, err = cs.inject(unix.SYS_MEMFD_CREATE, name, unix.MFD_CLOEXEC)
	}
	return fd, err
}

// emptyName returns the address of a byte of 0 in the process: the last of the header
// of the vdso's e_ident, which is padding.
func (cs *codeSpace) emptyName() (uint64, error) {
	const lastIdent = 15
	vdso, err := findVDSO(cs.runner.tid)
	return vdso.Start + lastIdent, err
}

// mapHere maps the memory into this program.
func (s *shared) mapHere(pid int, fd uint64) error {
	f, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/%d", pid, fd), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := f.Truncate(sharedSize); err != nil {
		return err
	}
	s.bytes, err = unix.Mmap(int(f.Fd()), 0, sharedSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	return err
}

// mapThere maps the memory into the process once, from where parts are mapped again for
// each arena.
func (s *shared) mapThere(r *Runner, fd uint64) error {
	maps, err := r.space.code.readMaps()
	if err != nil {
		return err
	}
	at := gap(maps, r.Regs.RIP, spareDistance, sharedSize)
	for n, g := range regions {
		if s.remote[n], err = r.space.inject(unix.SYS_MMAP, at+g.offset, g.size, g.protection, unix.MAP_SHARED, fd, g.offset); err != nil {
			return err
		}
		s.noteMapped(s.remote[n], g.size, g.offset, g.protection)
	}
	return nil
}

func (s *shared) close() error {
	if s.bytes == nil {
		return nil
	}
	return unix.Munmap(s.bytes)
}

func (s *shared) context() translate.Context { return s.bytes[contextAt:arenasAt] }

// waiters returns the memory of the waiters, and its address in the process.
func (s *shared) waiters() (here translate.Waiters, there uint64) {
	return s.bytes[bufferAt:][:translate.WaitersSize], s.remote[len(s.remote)-1]
}

// buffer returns the memory for records of system calls, and its address in the process.
func (s *shared) buffer() (here []byte, there uint64) {
	return s.bytes[bufferAt+translate.WaitersSize:][:bufferSize-translate.WaitersSize], s.remote[len(s.remote)-1] + translate.WaitersSize
}

func (s *shared) targets() translate.Targets { return s.bytes[targetsAt:contextAt] }

// arena maps the tables, the context and another arena near an address. An additional
// mapping of shared memory is made by mremap(2) with an old size of 0.
func (s *shared) arena(r *Runner, maps procfs.Maps, near uint64) (codecache.Arena, error) {
	if s.arenas == maxArenas {
		return codecache.Arena{}, codecache.ErrFull
	}
	n := uint64(s.arenas * arenaSize)
	at := gap(maps, near, arenaDistance, arenaSpace)
	for index, part := range [...]struct{ from, to, size, offset uint64 }{
		{s.remote[0], at, arrivalsAt - targetsAt, targetsAt},
		{s.remote[1], at + arrivalsAt, arenasAt - arrivalsAt, arrivalsAt},
		{s.remote[2] + n, at + arenasAt, arenaSize, arenasAt + n},
	} {
		if _, err := r.space.inject(unix.SYS_MREMAP, part.from, 0, part.size,
			unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED, part.to); err != nil {
			return codecache.Arena{}, fmt.Errorf("map the code cache: %w", orFull(err))
		}
		s.noteMapped(part.to, part.size, part.offset, regions[index].protection)
	}
	s.arenas++
	return codecache.Arena{Base: at + arenasAt, Code: s.arenaCode(s.arenas - 1)}, nil
}

// arenaCode returns the code of an arena by its number.
func (s *shared) arenaCode(n int) []byte { return s.bytes[arenasAt+n*arenaSize:][:arenaSize] }

// orFull adds codecache.ErrFull to an error of the system call, but not to one of the
// tracer.
func orFull(err error) error {
	if errno := unix.Errno(0); errors.As(err, &errno) && !errors.Is(err, ptrace.ErrGone) {
		return fmt.Errorf("%w: %w", codecache.ErrFull, err)
	}
	return err
}

// arenaSpace is the size of an arena with what is before it.
const arenaSpace = arenasAt + arenaSize

// Distances from the code of what is mapped, so that the program's own mappings are where
// they would be without it, and can grow.
const (
	arenaDistance = 1 << 30
	spareDistance = 3 << 30 // of the mapping that arenas are made of
)

// gap returns an address where size bytes are free, at about a distance below the code
// or else above it.
func gap(maps procfs.Maps, pc, distance, size uint64) uint64 {
	const margin, lowest = 16 << 20, 1 << 30
	if pc > distance+lowest {
		if at := gapBelow(maps, pc-distance, size); pc-at < distance+distance/4 {
			return at
		}
	}
	at := (pc + distance) &^ (pageSize - 1)
	for _, m := range maps {
		if m.Start < at+size+margin && at < m.End+margin {
			at = m.End + margin
		}
	}
	return at
}

// gapBelow returns the highest address below another one where size bytes are free.
func gapBelow(maps procfs.Maps, limit, size uint64) uint64 {
	const margin = 1 << 20
	at := (limit - size) &^ (pageSize - 1)
	for n := len(maps) - 1; n >= 0; n-- {
		if m := maps[n]; m.Start < at+size+margin && at < m.End+margin {
			at = m.Start - size - margin
		}
	}
	return at
}
