package bugs

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// Reasons why an index file is not usable.
var (
	errIndexSize    = errors.New("it is too large")
	errIndexVersion = errors.New("it is of another version")
	errIndexTree    = errors.New("it is of another folder")
	errIndexDamaged = errors.New("it is damaged")
)

// A decoder reads an index file. After an error, which it remembers, everything
// that it returns is empty.
type decoder struct {
	in   *bufio.Reader
	left int64 // bytes that lists may have; no list of a damaged file is allocated that is longer
	err  error
}

// decode returns the tree with a key from a file of the given size.
func (x *index) decode(key treeKey, from io.Reader, size int64) (*tree, error) {
	t := newTree(key)
	const sumSize = 4
	sum := crc32.New(castagnoli)
	content := max(0, size-sumSize)
	d := &decoder{in: bufio.NewReaderSize(io.TeeReader(io.LimitReader(from, content), sum), 1<<18), left: content}
	switch {
	case string(d.bytes(len(indexMagic))) != indexMagic:
		return nil, errIndexDamaged
	case !bytes.Equal(d.bytes(len(x.fingerprint)), x.fingerprint[:]):
		return nil, errIndexVersion
	case d.text() != key.folder || d.text() != key.only:
		return nil, errIndexTree
	}
	d.names(t.names)
	for range d.count(1) {
		f := d.file(x.analyst.rules, len(t.names.texts))
		if d.err != nil {
			return nil, d.err
		}
		t.files[f.path] = f
		t.bytes += f.bytes()
	}
	var want [sumSize]byte
	if _, err := d.in.ReadByte(); d.err != nil || !errors.Is(err, io.EOF) {
		return nil, errIndexDamaged
	}
	if _, err := io.ReadFull(from, want[:]); err != nil || binary.LittleEndian.Uint32(want[:]) != sum.Sum32() {
		return nil, errIndexDamaged
	}
	return t, nil
}

func (d *decoder) fail() { d.err = errIndexDamaged }

// bytes returns the next n bytes.
func (d *decoder) bytes(n int) []byte {
	if d.left -= int64(n); d.left < 0 || d.err != nil {
		d.fail()
		return nil
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(d.in, b); err != nil {
		d.fail()
		return nil
	}
	return b
}

// number returns a number below limit.
func (d *decoder) number(limit int) int {
	v, err := binary.ReadUvarint(d.in)
	if err != nil || d.err != nil || v >= uint64(limit) {
		d.fail()
		return 0
	}
	return int(v)
}

// count returns the length of a list whose elements have size bytes or more.
func (d *decoder) count(size int64) int {
	return d.number(int(max(0, d.left)/size + 1))
}

func (d *decoder) text() string { return string(d.bytes(d.count(1))) }

func (d *decoder) uint16s() []uint16 {
	b := d.bytes(2 * d.count(2))
	list := make([]uint16, len(b)/2)
	for i := range list {
		list[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return list
}

// uint32s returns a list of numbers that are all below limit.
func (d *decoder) uint32s(limit int) []uint32 {
	b := d.bytes(4 * d.count(4))
	list := make([]uint32, len(b)/4)
	for i := range list {
		if list[i] = binary.LittleEndian.Uint32(b[4*i:]); list[i] >= uint32(limit) {
			d.fail()
			return nil
		}
	}
	return list
}

// names fills an empty dictionary.
func (d *decoder) names(to *dictionary) {
	n := d.count(2)
	if n == 0 {
		d.fail() // there is an empty name
		return
	}
	to.texts, to.parts = make([]string, n), make([][]uint32, n)
	for id := range n {
		text := d.text()
		parts := d.uint32s(n)
		if d.err != nil {
			return
		}
		to.texts[id] = text
		if len(parts) > 0 {
			to.parts[id] = parts
		}
		if id > 0 {
			to.ids[text] = uint32(id)
			to.bytes += nameCost + int64(len(text))
		}
	}
}

// file returns the next file.
func (d *decoder) file(rules []rule, names int) *file {
	f := &file{path: d.text(), lang: &syntax.Languages[d.number(len(syntax.Languages))]}
	if err := f.stamp.UnmarshalBinary(d.bytes(40)); err != nil {
		d.fail()
	}
	f.lines = d.number(math.MaxInt32)
	f.stream = stream{codes: d.uint16s(), names: d.uint32s(names)}
	tokens := len(f.stream.codes)
	f.stream.starts = d.uint32s(tokens + 1)
	for range d.count(3) {
		f.functions = append(f.functions, extent{d.text(), int32(d.number(tokens + 1)), int32(d.number(tokens + 1))})
	}
	for range d.count(3) {
		f.risks = append(f.risks, risk{&rules[d.number(len(rules))], int32(d.number(tokens + 1)), int32(d.number(math.MaxInt32))})
	}
	f.calls = d.uint32s(tokens)
	f.sketch = d.uint16s()
	if len(f.stream.names) != tokens || len(f.sketch)%bands != 0 || !slices.IsSorted(f.stream.starts) {
		d.fail()
	}
	return f
}
