package core

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
)

// Limits of notes: more than Linux makes of any process.
const (
	maxNotes     = 1 << 21
	maxThreads   = 1 << 18
	maxFileNote  = 16 << 20
	maxAuxv      = 64 << 10
	maxXState    = 64 << 10
	maxNameOrID  = 256
	noteHeadSize = 12
)

// Kinds of notes (include/uapi/linux/elf.h).
const (
	notePRStatus  = 1
	noteFPRegs    = 2
	notePRPSInfo  = 3
	noteAuxv      = 6
	noteXState    = 0x202
	noteFile      = 0x46494c45
	noteSigInfo   = 0x53494749
	noteGNUBuild  = 3
	ownerCore     = "CORE"
	ownerLinux    = "LINUX"
	ownerGNU      = "GNU"
	noteAlignment = 4
)

// A note is one of a segment of notes. What is in it is still in the file.
type note struct {
	owner string
	kind  uint32
	at    uint64 // of the contents, in the file
	size  uint64
}

// A noteReader goes from note to note.
type noteReader struct {
	r       io.ReaderAt
	at, end uint64
	left    int // how many may still come
}

// notesOf reads at most so many notes of a segment. Those of a file that was cut
// off end early.
func notesOf(r io.ReaderAt, p *elf.Prog64, most int) *noteReader {
	return &noteReader{r: r, at: p.Off, end: p.Off + min(p.Filesz, 1<<62), left: most}
}

// next is false at the end, and where what follows is no note.
func (n *noteReader) next() (note, bool) {
	var head [3]uint32
	if n.left--; n.left < 0 || n.end-n.at < noteHeadSize || n.end < n.at {
		return note{}, false
	}
	if err := readStruct(n.r, n.at, &head); err != nil || head[0] > maxNameOrID {
		return note{}, false
	}
	name := make([]byte, head[0])
	if err := readAll(n.r, n.at+noteHeadSize, name); err != nil {
		return note{}, false
	}
	at := n.at + noteHeadSize + aligned(head[0])
	if at > n.end || uint64(head[1]) > n.end-at {
		return note{}, false
	}
	n.at = at + aligned(head[1])
	return note{string(bytes.TrimRight(name, "\x00")), head[2], at, uint64(head[1])}, true
}

func aligned(n uint32) uint64 { return (uint64(n) + noteAlignment - 1) &^ (noteAlignment - 1) }

// contents reads a note that has at least the first and at most the second
// number of bytes.
func (n note) contents(r io.ReaderAt, least, most uint64) ([]byte, error) {
	if n.size < least || n.size > most {
		return nil, malformed("its note of the kind %#x has %d bytes", n.kind, n.size)
	}
	b := make([]byte, n.size)
	return b, readAll(r, n.at, b)
}

// noteKinds are the notes that matter. Others are skipped.
var noteKinds = []struct {
	owner string
	kind  uint32
	read  func(f *File, n note) error
}{
	{ownerCore, notePRStatus, (*File).readPRStatus},
	{ownerCore, notePRPSInfo, (*File).readPRPSInfo},
	{ownerCore, noteSigInfo, (*File).readSigInfo},
	{ownerCore, noteAuxv, (*File).readAuxv},
	{ownerCore, noteFile, (*File).readFiles},
	{ownerCore, noteFPRegs, (*File).readFPRegs},
	{ownerLinux, noteXState, (*File).readXState},
}

// readNotes reads those of a segment, at most so many, and says how many more
// there may be in others.
func (f *File) readNotes(p *elf.Prog64, most int) (int, error) {
	for notes := notesOf(f.r, p, most); ; {
		n, ok := notes.next()
		if !ok {
			return max(0, notes.left), nil
		}
		for _, row := range noteKinds {
			if row.owner != n.owner || row.kind != n.kind {
				continue
			}
			err := row.read(f, n)
			if f.cut && errors.Is(err, io.ErrUnexpectedEOF) {
				err = errCutNotes
			}
			if err != nil {
				return 0, err
			}
		}
	}
}

// A field is read from the contents of a note.
func (b field) uint32(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
func (b field) uint16(at int) uint16 { return binary.LittleEndian.Uint16(b[at:]) }
func (b field) uint64(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }

// text is up to the first null byte.
func (b field) text(at, size int) string {
	s, _, _ := bytes.Cut(b[at:at+size], []byte{0})
	return string(s)
}

// A field is the contents of a note, of the structures of procfs.
type field []byte
