package core

import (
	"bytes"
	"debug/elf"
	"encoding/hex"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// verify says why a file is not the one that was mapped.
func (m *Mapped) verify(path string, source io.ReaderAt) error {
	if _, err := readHeader(source); err != nil {
		return errNoELF
	}
	was := m.remainsOf(path)
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

// remains holds the parts of a mapped file that are in memory.
type remains struct {
	maps []procfs.Map
	was  func(addr uint64, b []byte) (int, error)
}

// maxRemains limits the number of ranges of a file that are read.
const maxRemains = 64

func (m *Mapped) remainsOf(path string) *remains {
	r := &remains{was: m.was}
	for _, each := range m.maps {
		if each.Path == path && len(r.maps) < maxRemains {
			r.maps = append(r.maps, each)
		}
	}
	return r
}

// ReadAt reads where the file was mapped.
func (r *remains) ReadAt(b []byte, off int64) (int, error) {
	for _, m := range r.maps {
		skip := uint64(off) - m.Offset
		if uint64(off) < m.Offset || skip >= m.End-m.Start {
			continue
		}
		n, _ := r.was(m.Start+skip, b[:min(uint64(len(b)), m.End-m.Start-skip)]) // less is the end of it
		if n == len(b) {
			return n, nil
		}
		if n > 0 {
			return n, io.EOF
		}
	}
	return 0, io.EOF
}

// Limits of what is looked through for a build id.
const (
	maxModuleSegments = 256
	maxModuleNotes    = 256
)

// buildID returns the build id, with which the linker distinguishes an ELF file from all
// others, "" when it has none.
func buildID(r io.ReaderAt) string {
	h, err := readHeader(r)
	if err != nil || h.Phnum > maxModuleSegments {
		return ""
	}
	segments, err := readSegments(r, &h, nil)
	if err != nil {
		return ""
	}
	for _, p := range segments {
		if elf.ProgType(p.Type) != elf.PT_NOTE {
			continue
		}
		if id := buildIDIn(r, &p); id != "" {
			return id
		}
	}
	return ""
}

// buildIDIn looks through a segment of notes.
func buildIDIn(r io.ReaderAt, p *elf.Prog64) string {
	for notes := notesOf(r, p, maxModuleNotes); ; {
		n, ok := notes.next()
		if !ok {
			return ""
		}
		if n.owner != ownerGNU || n.kind != noteGNUBuild {
			continue
		}
		if id, err := n.contents(r, 1, maxNameOrID); err == nil {
			return hex.EncodeToString(id)
		}
	}
}
