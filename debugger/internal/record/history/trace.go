package history

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// Errors of [Open], beside [ErrCorrupt].
var (
	// ErrFormat is returned for input that is not a binary trace.
	ErrFormat = errors.New("this is no binary trace")

	// ErrVersion is returned for traces of an unknown version.
	ErrVersion = errors.New("this version of the trace format is not known")

	// ErrNotTraced is returned for memory that the trace does not contain.
	ErrNotTraced = errors.New("this memory is not in the trace")
)

// Limits of a trace, larger than any real trace needs. They keep a hostile file
// from making its reader use more than a few times the size of the file.
const (
	maxThreads   = 1 << 16
	maxVectorLen = 1 << 16
	maxZeroPages = 1 << 16
)

// A Trace is a recorded history without a live process.
type Trace struct {
	*History
	Program string // path of the traced program
}

// Open reads a binary trace. It returns no part of a trace whose checksum or
// records are invalid. The memory of the trace is taken from room, which may be nil.
func Open(ctx context.Context, r io.Reader, room Room) (*Trace, error) {
	o := &opener{ctx: ctx, room: room, sum: sha256.New(), pages: make(map[uint64]*page)}
	defer o.freeBlock()
	in := bufio.NewReaderSize(r, 1<<16)
	o.r = io.TeeReader(in, o.sum)
	if err := o.blocks(); err != nil {
		return nil, fmt.Errorf("open a trace: %w", err)
	}
	want := o.sum.Sum(nil)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(in, got); err != nil || !bytes.Equal(got, want) {
		return nil, fmt.Errorf("open a trace: %w: the checksum does not match", ErrCorrupt)
	}
	return o.trace()
}

// An opener collects the blocks of a trace.
type opener struct {
	ctx context.Context //nolint:containedctx // it lives as long as one call
	r   io.Reader

	room  Room
	taken int // for the last block

	sum interface {
		io.Writer
		Sum(b []byte) []byte
	}
	h       *History
	to      uint64
	current int
	program string
	reason  string
	threads []thread
	pages   map[uint64]*page // nil: zero
	zeroes  int
}

// blocks reads all blocks. Their order is fixed: a block depends only on
// earlier ones.
func (o *opener) blocks() error {
	head := make([]byte, len(traceMagic)+2)
	if _, err := io.ReadFull(o.r, head); err != nil || string(head[:len(traceMagic)]) != traceMagic {
		return ErrFormat
	}
	if version := binary.LittleEndian.Uint16(head[len(traceMagic):]); version != traceVersion {
		return fmt.Errorf("%w: %d", ErrVersion, version)
	}
	for _, expected := range []struct {
		tag  byte
		read func(d *decoder) error
	}{{blockHeader, o.header}, {blockThreads, o.table}, {blockMaps, o.maps}} {
		tag, payload, err := o.block()
		if err != nil {
			return err
		}
		d := &decoder{b: payload}
		if tag != expected.tag {
			return ErrCorrupt
		}
		if err := expected.read(d); err != nil || d.bad {
			return errors.Join(ErrCorrupt, err)
		}
	}
	return o.contents()
}

// contents reads pages and records up to the end.
func (o *opener) contents() error {
	for {
		tag, payload, err := o.block()
		if err != nil {
			return err
		}
		d := &decoder{b: payload}
		switch tag {
		case blockPages:
			err = o.readPages(d)
		case blockRecords:
			err = o.records(d)
		case blockEnd:
			return nil
		default:
			return fmt.Errorf("%w: a block of kind %q", ErrCorrupt, tag)
		}
		if err != nil || d.bad {
			return errors.Join(ErrCorrupt, err)
		}
	}
}

// block reads one block. It allocates as it reads, so that a false length costs
// no memory.
func (o *opener) block() (byte, []byte, error) {
	var head [5]byte
	if err := o.ctx.Err(); err != nil {
		return 0, nil, err
	}
	if _, err := io.ReadFull(o.r, head[:]); err != nil {
		return 0, nil, fmt.Errorf("%w: it ends early", ErrCorrupt)
	}
	b, err := o.payload(int(binary.LittleEndian.Uint32(head[1:])))
	return head[0], b, err
}

// firstBlock is the least size of the memory of a block.
const firstBlock = 64 << 10

// payload reads n bytes, in place of those of the block before.
func (o *opener) payload(n int) ([]byte, error) {
	o.freeBlock()
	var b []byte
	for len(b) < n {
		old, size := o.taken, min(max(4*len(b), firstBlock), n)
		if err := take(o.room, size); err != nil {
			return nil, err
		}
		o.taken = size
		b = append(make([]byte, 0, size), b...)
		give(o.room, old)
		k, err := io.ReadFull(o.r, b[len(b):size])
		if b = b[:len(b)+k]; err != nil {
			return nil, fmt.Errorf("%w: it ends early: %w", ErrCorrupt, err)
		}
	}
	return b, nil
}

// freeBlock gives the memory of the last block back.
func (o *opener) freeBlock() {
	give(o.room, o.taken)
	o.taken = 0
}

func (o *opener) header(d *decoder) error {
	if err := take(o.room, len(d.b)); err != nil { // the texts
		return err
	}
	from, to, current := d.uvarint(), d.uvarint(), d.uvarint()
	if d.bad || from > to || to == 1<<64-1 || current >= maxThreads {
		return ErrCorrupt
	}
	o.to, o.current = to, int(current)
	o.program, o.reason = d.text(), d.text()
	o.h = newHistory(&fileBase{}, 1<<62, from)
	o.h.Steps.reason = o.reason
	o.h.useRoom(o.room)
	return nil
}

// regsSize is the number of bytes of a thread's registers.
const regsSize = 8 * ptrace.NumRegs

func (o *opener) table(d *decoder) error {
	n := d.count(regsSize)
	if n > maxThreads || o.current >= n {
		return ErrCorrupt
	}
	for range n {
		if err := take(o.room, threadCost); err != nil {
			return err
		}
		t := thread{id: int(d.uvarint() & (1<<31 - 1)), alive: d.byte() == 1}
		if words := d.bytes(regsSize); words != nil {
			for i := range t.regs.Words() {
				t.regs.Words()[i] = binary.LittleEndian.Uint64(words[8*i:])
			}
		}
		vector := d.bytes(d.uvarint())
		if len(vector) > maxVectorLen {
			return ErrCorrupt
		}
		if err := take(o.room, 2*len(vector)); err != nil { // the view has another one
			return err
		}
		if len(vector) > 0 {
			t.vector = bytes.Clone(vector)
		}
		o.threads = append(o.threads, t)
	}
	return nil
}

func (o *opener) maps(d *decoder) error {
	if err := take(o.room, len(d.b)/minMap*mapCost); err != nil {
		return err
	}
	o.h.view.maps = d.maps()
	return nil
}

// What a thread takes with its copy in the view, a mapping, and the number of a page.
const (
	threadCost = 1 << 10
	mapCost    = 256
	numberCost = pageCost - pageSize
)

func (o *opener) readPages(d *decoder) error {
	for len(d.b) > 0 && !d.bad {
		number := d.uvarint()
		if err := take(o.room, numberCost); err != nil {
			return err
		}
		switch d.byte() {
		case pageZero:
			o.pages[number] = nil
			if o.zeroes++; o.zeroes > maxZeroPages {
				d.fail()
			}
		case pageFull:
			if err := take(o.room, pageSize); err != nil {
				return err
			}
			if b := d.bytes(pageSize); b != nil {
				o.pages[number] = (*page)(bytes.Clone(b))
			}
		default:
			d.fail()
		}
	}
	return nil
}

func (o *opener) records(d *decoder) error {
	for len(d.b) > 0 && !d.bad {
		record := d.bytes(d.uvarint())
		if d.bad || o.h.End() == o.to {
			return ErrCorrupt
		}
		if err := o.check(record); err != nil {
			return fmt.Errorf("position %d: %w", o.h.End(), err)
		}
		if err := o.h.own.log.append(record); err != nil {
			return err
		}
	}
	return nil
}

// trace builds the trace from the blocks.
func (o *opener) trace() (*Trace, error) {
	if o.h.End() != o.to {
		return nil, fmt.Errorf("open a trace: %w: it has not all of its records", ErrCorrupt)
	}
	v := &o.h.view
	base := v.base.(*fileBase)
	base.pages, base.threads = o.pages, o.threads
	v.threads = make([]thread, len(o.threads))
	for i, t := range o.threads {
		t.vector = bytes.Clone(t.vector)
		v.threads[i] = t
	}
	v.current, v.position = o.current, o.to
	return &Trace{History: o.h, Program: o.program}, nil
}

// fileBase is the [Base] of a trace: the process at its last position.
type fileBase struct {
	pages   map[uint64]*page
	threads []thread
}

func (b *fileBase) ReadMemory(addr uint64, dst []byte) (int, error) {
	n := 0
	for n < len(dst) {
		at := addr + uint64(n)
		p, ok := b.pages[at/pageSize]
		switch rest := dst[n:min(len(dst), n+int(pageSize-at%pageSize))]; {
		case !ok:
			return n, fmt.Errorf("read memory at %#x: %w", at, ErrNotTraced)
		case p == nil:
			clear(rest)
			n += len(rest)
		default:
			n += copy(rest, p[at%pageSize:])
		}
	}
	return n, nil
}

func (b *fileBase) find(id int) (*thread, error) {
	for i := range b.threads {
		if b.threads[i].id == id {
			return &b.threads[i], nil
		}
	}
	return nil, proc.ErrNoThread
}

func (b *fileBase) Regs(id int) (ptrace.Regs, error) {
	t, err := b.find(id)
	if err != nil {
		return ptrace.Regs{}, err
	}
	return t.regs, nil
}

func (b *fileBase) XState(id int, buf []byte) ([]byte, error) {
	t, err := b.find(id)
	if err != nil || t.vector == nil {
		return nil, errors.Join(err, ErrNotTraced)
	}
	return append(buf[:0], t.vector...), nil
}
