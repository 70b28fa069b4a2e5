package core

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/budget"
)

// Options say how a core file is read. The zero value is good.
type Options struct {
	// Open opens a file that the process had mapped; nil opens regular files by
	// their path. It is called at most once for each path.
	Open func(path string) (*os.File, error)

	// Memory has the memory that lists of threads, ranges and files take; nil does not limit
	// them.
	Memory *budget.Account
}

// A File is a core file.
type File struct {
	r      io.ReaderAt
	size   uint64
	closer io.Closer // nil when it is not ours
	mapped *Mapped
	memory *budget.Account

	// What the file says, which does not change.
	pid           int
	name, command string
	auxv          []byte
	threads       []thread
	byID          map[int]int
	files         []mapped
	pieces        pieces
	cut           bool
}

// Open opens a core file by its path.
func Open(path string, options Options) (*File, error) {
	source, err := OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("open a core file: %w", err)
	}
	info, err := source.Stat()
	if err != nil {
		_ = source.Close() // it was only read
		return nil, fmt.Errorf("open a core file: %w", err)
	}
	f, err := New(source, info.Size(), options)
	if err != nil {
		_ = source.Close() // likewise
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f.closer = source
	return f, nil
}

// New reads a core file of so many bytes. It is the caller's to close, after
// the result.
func New(r io.ReaderAt, size int64, options Options) (*File, error) {
	f := &File{r: r, size: uint64(max(0, size)), memory: options.Memory, byID: map[int]int{}}
	h, err := readCoreHeader(r)
	if err != nil {
		return nil, err
	}
	segments, err := readSegments(r, &h, f.memory)
	if err != nil {
		return nil, err
	}
	f.cut = slices.ContainsFunc(segments, func(p elf.Prog64) bool { return p.Off+p.Filesz > f.size })
	left := maxNotes // in all segments, which may overlap
	for i := range segments {
		if elf.ProgType(segments[i].Type) != elf.PT_NOTE {
			continue
		}
		if left, err = f.readNotes(&segments[i], left); err != nil {
			return nil, err
		}
	}
	switch {
	case len(f.threads) == 0 && f.cut:
		return nil, errCutNotes
	case len(f.threads) == 0:
		return nil, malformed("it has no registers of any thread")
	}
	if err := f.assemble(segments); err != nil {
		return nil, err
	}
	f.mapped = NewMapped(f.Maps(), f.readKept, options.Open)
	if f.pid == 0 {
		f.pid = f.threads[0].id
	}
	return f, nil
}

// Mapped are the files that the process had mapped. The core file closes them.
func (f *File) Mapped() *Mapped { return f.mapped }

// Close closes the core file and the mapped ones.
func (f *File) Close() error {
	err := f.mapped.Close()
	if f.closer != nil {
		err = errors.Join(err, f.closer.Close())
	}
	return err
}

// Cut reports whether the file was cut off, by a limit of its size or a full disk.
// Memory is missing then.
func (f *File) Cut() bool { return f.cut }

// OpenRegular opens a file for reading unless it is something that reading could
// block on or change.
func OpenRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errIrregular}
	}
	return os.Open(path)
}
