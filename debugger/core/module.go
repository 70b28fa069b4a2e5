package core

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"
)

// maxModules is how many mapped files are open at a time.
const maxModules = 1024

// A module is a file that the process had mapped, as it is now. It is open
// unless err says why it is of no use.
type module struct {
	source *os.File
	size   uint64
	err    error
}

// deleted is what the kernel appends to the path of a file that is gone. Another
// one may have its name.
const deleted = " (deleted)"

// module returns a mapped file. Each is opened once, whatever becomes of it.
func (f *File) module(path string) *module {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.modules[path]
	if m == nil {
		m = f.openModule(path)
		f.modules[path] = m
	}
	return m
}

func (f *File) openModule(path string) *module {
	if len(f.modules) >= maxModules {
		return &module{err: &FileError{path, errTooMany}}
	}
	source, err := f.open(strings.TrimSuffix(path, deleted))
	if err != nil {
		return &module{err: &FileError{path, err}}
	}
	info, err := source.Stat()
	if err == nil {
		err = f.verify(path, source)
	}
	if err != nil {
		_ = source.Close() // it was only read
		return &module{err: &FileError{path, err}}
	}
	return &module{source: source, size: uint64(info.Size())}
}

// Mapped is a file that the process had mapped, as it still is. It answers a
// [*FileError] when it is gone or another one. It is open until Close.
func (f *File) Mapped(path string) (io.ReaderAt, error) {
	m := f.module(path)
	return m.source, m.err
}

// verify says why a file is not the one that was mapped.
func (f *File) verify(path string, source io.ReaderAt) error {
	if _, err := readHeader(source); err != nil {
		return errNoELF
	}
	was := f.remainsOf(path)
	wasID, isID := buildID(was), buildID(source)
	if wasID != "" {
		if wasID != isID {
			return &buildIDError{wasID, orNone(isID)}
		}
		return nil
	}
	first, now := make([]byte, pageSize), make([]byte, pageSize)
	n, _ := was.ReadAt(first, 0) // what is not there is not compared
	if n < headerSize+segmentSize {
		return errNoHead
	}
	if k, _ := source.ReadAt(now, 0); k < n || !bytes.Equal(first[:n], now[:n]) {
		return errReplaced
	}
	return nil
}

func orNone(id string) string {
	if id == "" {
		return "not there"
	}
	return id
}

// remains are what the core file has of a mapped file.
type remains struct {
	f      *File
	pieces []*piece
}

func (f *File) remainsOf(path string) *remains {
	r := &remains{f: f}
	for i := range f.pieces {
		if p := &f.pieces[i]; p.file && p.path == path && p.dumped > 0 && len(r.pieces) < maxRemains {
			r.pieces = append(r.pieces, p)
		}
	}
	return r
}

// maxRemains is how many ranges of a file are looked at.
const maxRemains = 64

// ReadAt reads where the file was mapped.
func (r *remains) ReadAt(b []byte, off int64) (int, error) {
	for _, p := range r.pieces {
		skip := uint64(off) - p.offset
		if uint64(off) < p.offset || skip >= p.dumped {
			continue
		}
		n, err := r.f.readDumped(p.start+skip, p.at+skip, b[:min(uint64(len(b)), p.dumped-skip)])
		if err == nil && n < len(b) {
			err = io.EOF
		}
		return n, err
	}
	return 0, io.EOF
}

// Limits of what is looked through for a build id.
const (
	maxModuleSegments = 256
	maxModuleNotes    = 256
)

// buildID is what the linker gave an ELF file so that it can be told from all
// others, "" when it has none.
func buildID(r io.ReaderAt) string {
	h, err := readHeader(r)
	if err != nil || h.Phnum > maxModuleSegments {
		return ""
	}
	segments, err := readSegments(r, &h)
	if err != nil {
		return ""
	}
	for _, p := range segments {
		if elf.ProgType(p.Type) != elf.PT_NOTE {
			continue
		}
		for notes := notesOf(r, &p, maxModuleNotes); ; {
			n, ok := notes.next()
			if !ok {
				break
			}
			if n.owner != ownerGNU || n.kind != noteGNUBuild {
				continue
			}
			if id, err := n.contents(r, 1, maxNameOrID); err == nil {
				return hex.EncodeToString(id)
			}
		}
	}
	return ""
}

// Close closes the core file and the mapped ones.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var errs []error
	for _, m := range f.modules {
		if m.source != nil {
			errs = append(errs, m.source.Close())
		}
	}
	f.modules = nil
	if f.closer != nil {
		errs = append(errs, f.closer.Close())
	}
	return errors.Join(errs...)
}
