package bugs

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// An index file has
//
//	magic, fingerprint, folder, file name
//	names and the ids of their words
//	files
//	CRC-32C of everything before
//
// Numbers are varints and lists begin with their lengths. Elements of the lists of
// a stream have a fixed size in little-endian order, for speed.
const indexMagic = "triptych source index\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// An encoder writes to a buffer, which remembers the first error.
type encoder struct {
	out     *bufio.Writer
	written int64
	buffer  []byte
}

// encode writes a tree. It returns errIndexSize if the file would exceed the limit
// of the index.
func (x *index) encode(t *tree, to io.Writer) error {
	sum := crc32.New(castagnoli)
	e := &encoder{out: bufio.NewWriterSize(io.MultiWriter(to, sum), 1<<18)}
	e.bytes([]byte(indexMagic))
	e.bytes(x.fingerprint[:])
	e.text(t.key.folder)
	e.text(t.key.only)
	e.names(t.names)
	rules := map[*rule]int{}
	for i := range x.analyst.rules {
		rules[&x.analyst.rules[i]] = i
	}
	e.number(len(t.files))
	for _, f := range t.files {
		e.file(f, rules)
		if e.written > x.maxBytes {
			return errIndexSize
		}
	}
	if err := e.out.Flush(); err != nil {
		return err
	}
	_, err := to.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

func (e *encoder) bytes(b []byte) {
	e.written += int64(len(b))
	_, _ = e.out.Write(b) // Flush returns the error
}

func (e *encoder) number(n int) {
	e.bytes(binary.AppendUvarint(e.buffer[:0], uint64(n)))
}

func (e *encoder) text(s string) {
	e.number(len(s))
	e.written += int64(len(s))
	_, _ = e.out.WriteString(s) // Flush returns the error
}

func (e *encoder) uint16s(list []uint16) {
	e.number(len(list))
	e.buffer = e.buffer[:0]
	for _, v := range list {
		e.buffer = binary.LittleEndian.AppendUint16(e.buffer, v)
	}
	e.bytes(e.buffer)
}

func (e *encoder) uint32s(list []uint32) {
	e.number(len(list))
	e.buffer = e.buffer[:0]
	for _, v := range list {
		e.buffer = binary.LittleEndian.AppendUint32(e.buffer, v)
	}
	e.bytes(e.buffer)
}

func (e *encoder) names(d *dictionary) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	e.number(len(d.texts))
	for id, text := range d.texts {
		e.text(text)
		e.uint32s(d.parts[id])
	}
}

func (e *encoder) file(f *file, rules map[*rule]int) {
	e.text(f.path)
	e.number(languageNumber(f.lang))
	stamp, _ := f.stamp.AppendBinary(nil) // never fails
	e.bytes(stamp)
	e.number(f.lines)
	e.uint16s(f.stream.codes)
	e.uint32s(f.stream.names)
	e.uint32s(f.stream.starts)
	e.number(len(f.functions))
	for _, fn := range f.functions {
		e.text(fn.name)
		e.number(int(fn.begin))
		e.number(int(fn.end))
	}
	e.number(len(f.risks))
	for _, r := range f.risks {
		e.number(rules[r.rule])
		e.number(int(r.at))
		e.number(int(r.line))
	}
	e.uint32s(f.calls)
	e.uint16s(f.sketch)
}

// languageNumber returns the index of a language in the table.
func languageNumber(lang *syntax.Language) int {
	for i := range syntax.Languages {
		if lang == &syntax.Languages[i] {
			return i
		}
	}
	return 0
}
