package core

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// maxModules limits the number of mapped files that are open.
const maxModules = 1024

// A Mapped has the files that a process had mapped, as far as they are still
// the same. A [File] has one; so can have who knows memory from elsewhere. Its
// methods may be called from several goroutines at once, Close after all others.
type Mapped struct {
	maps procfs.Maps
	was  func(addr uint64, b []byte) (int, error)
	open func(path string) (*os.File, error)

	mu      sync.Mutex
	modules map[string]*module // by the path that the maps have
}

// NewMapped makes one. The function was reads the memory that is known without
// the files; the beginnings of mapped files in it show which files they were.
// The function open is called at most once for each path, but by
// [Mapped.OpenUnmapped]; nil opens regular files.
func NewMapped(maps procfs.Maps, was func(addr uint64, b []byte) (int, error), open func(path string) (*os.File, error)) *Mapped {
	if open == nil {
		open = OpenRegular
	}
	return &Mapped{maps: maps, was: was, open: open, modules: map[string]*module{}}
}

// A module is a file that the process had mapped, as it is now. It is open
// unless err says why it is of no use.
type module struct {
	source *os.File
	size   uint64
	err    error
}

// deleted is the suffix that the kernel appends to the path of a deleted file. Another
// one may have its name.
const deleted = " (deleted)"

// module returns a mapped file. Each is opened once, whatever becomes of it.
func (m *Mapped) module(path string) *module {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := m.modules[path]
	if found == nil {
		found = m.openModule(path)
		m.modules[path] = found
	}
	return found
}

func (m *Mapped) openModule(path string) *module {
	if len(m.modules) >= maxModules {
		return &module{err: &FileError{path, errTooMany}}
	}
	if !strings.HasPrefix(path, "/") {
		return &module{err: &FileError{path, errNoFile}}
	}
	source, err := m.open(strings.TrimSuffix(path, deleted))
	if err != nil {
		return &module{err: &FileError{path, err}}
	}
	info, err := source.Stat()
	if err == nil {
		err = m.verify(path, source)
	}
	if err != nil {
		_ = source.Close() // it was only read
		return &module{err: &FileError{path, err}}
	}
	return &module{source: source, size: uint64(info.Size())}
}

// Open returns a file by the path that the maps have. It answers a [*FileError]
// when it is gone or another one. It is open until Close.
func (m *Mapped) Open(path string) (io.ReaderAt, error) {
	found := m.module(path)
	if found.err != nil {
		return nil, found.err
	}
	return found.source, nil
}

// OpenUnmapped opens a file that the process had not mapped, such as one with the debug
// information of a mapped file. The caller closes it.
func (m *Mapped) OpenUnmapped(path string) (*os.File, error) { return m.open(path) }

// pageSize is the size of the pages that mapped files are in.
const pageSize = 4096

// ReadMemory reads memory that is in a mapped file and was not written, at most
// to the end of the mapping. It answers a [*MemoryError]. Behind the end of the
// file its last page is zero.
func (m *Mapped) ReadMemory(addr uint64, b []byte) (int, error) {
	at, ok := m.maps.Find(addr)
	if !ok || !strings.HasPrefix(at.Path, "/") {
		return 0, &MemoryError{Address: addr, Cause: errLeftOut}
	}
	found := m.module(at.Path)
	if found.err != nil {
		return 0, &MemoryError{Address: addr, Cause: found.err}
	}
	b = b[:min(uint64(len(b)), at.End-addr)]
	n, err := found.read(at.Offset+(addr-at.Start), b)
	if err != nil {
		return n, &MemoryError{Address: addr, Cause: &FileError{at.Path, err}}
	}
	return n, nil
}

func (m *module) read(at uint64, b []byte) (int, error) {
	end := (m.size + pageSize - 1) &^ (pageSize - 1)
	if at >= end {
		return 0, errShort
	}
	b = b[:min(uint64(len(b)), end-at)]
	n := 0
	if at < m.size {
		n = int(min(uint64(len(b)), m.size-at))
		if err := readAll(m.source, at, b[:n]); err != nil {
			return 0, err
		}
	}
	clear(b[n:])
	return len(b), nil
}

// Close closes the files.
func (m *Mapped) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, each := range m.modules {
		if each.source != nil {
			errs = append(errs, each.source.Close())
		}
	}
	m.modules = nil
	return errors.Join(errs...)
}
