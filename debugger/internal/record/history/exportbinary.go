package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// traceMagic begins a binary trace, and traceVersion is the version of all
// formats. See docs/trace-format.md.
const (
	traceMagic   = "triptych trace\r\n"
	traceVersion = 1
)

// The blocks of a binary trace, in this order: one header, one with the
// threads, one with the mappings, any number with pages and records, the end.
const (
	blockHeader  = 'H'
	blockThreads = 'T'
	blockMaps    = 'M'
	blockPages   = 'P'
	blockRecords = 'R'
	blockEnd     = 'E'
)

// blockSize limits the size of a block, unless one record is larger.
const blockSize = 1 << 20

// Encodings of a page in a block.
const (
	pageZero = 0
	pageFull = 1
)

// blockWriter writes blocks and computes their checksum.
type blockWriter struct {
	e   *exporter
	sum hash.Hash
	err error
}

func (w *blockWriter) write(b []byte) {
	if w.err != nil {
		return
	}
	_, _ = w.sum.Write(b)
	_, w.err = w.e.w.Write(b)
}

func (w *blockWriter) block(tag byte, payload []byte) {
	if uint64(len(payload)) > 1<<32-1 {
		w.err = fmt.Errorf("write the trace: a record has %d bytes", len(payload))
		return
	}
	w.write(binary.LittleEndian.AppendUint32([]byte{tag}, uint32(len(payload))))
	w.write(payload)
}

// binary writes the process at the last position and the records before it.
func (e *exporter) binary() error {
	var table threadTable
	pages, err := e.touchedPages(&table)
	if err != nil {
		return err
	}
	if err := e.toLast(); err != nil {
		return err
	}
	e.addFileHeads(pages)
	w := &blockWriter{e: e, sum: sha256.New()}
	w.write(binary.LittleEndian.AppendUint16([]byte(traceMagic), traceVersion))
	w.block(blockHeader, e.header())
	w.block(blockThreads, e.threads(table.ended))
	w.block(blockMaps, appendMaps(nil, e.h.view.maps))
	e.pages(w, pages)
	if err := e.records(w, &table); err != nil {
		return err
	}
	w.block(blockEnd, nil)
	if w.err == nil {
		_, w.err = e.w.Write(w.sum.Sum(nil))
	}
	return w.err
}

// toLast moves the view to the last position, in the window of the record before it: the next
// window has another table of threads.
func (e *exporter) toLast() error {
	if _, err := e.h.Seek(e.o.To); err != nil || e.o.From == e.o.To {
		return err
	}
	return e.h.reach(e.o.To - 1)
}

func (e *exporter) header() []byte {
	b := binary.AppendUvarint(nil, e.o.From)
	b = binary.AppendUvarint(b, e.o.To)
	b = binary.AppendUvarint(b, uint64(e.h.view.current))
	b = appendText(b, e.o.Program)
	return appendText(b, e.h.Steps.reason)
}

// threads encodes the table of threads at the last position, and those that have ended before.
func (e *exporter) threads(ended []thread) []byte {
	v := &e.h.view
	all := slices.Concat(v.threads, ended)
	b := binary.AppendUvarint(nil, uint64(len(all)))
	for _, t := range all {
		alive := byte(0)
		if t.alive {
			alive = 1
		}
		b = append(binary.AppendUvarint(b, uint64(t.id)), alive)
		for _, word := range t.regs.Words() {
			b = binary.LittleEndian.AppendUint64(b, word)
		}
		vector := t.vector
		if vector == nil && t.alive {
			vector, _ = v.base.XState(t.id, nil) // without it the trace has none
		}
		b = appendText(b, string(vector))
	}
	return b
}

// touchedPages returns the pages that the steps write or execute, and fills the table of
// threads. It leaves the view at the first position.
func (e *exporter) touchedPages(table *threadTable) (map[uint64]bool, error) {
	if err := e.toLast(); err != nil {
		return nil, err
	}
	pages := make(map[uint64]bool)
	v := &e.h.view
	var traversal Traversal
	for v.position > e.o.From {
		if v.position%progressEvery == 0 && e.ctx.Err() != nil {
			return nil, e.ctx.Err()
		}
		if err := e.h.reach(v.position - 1); err != nil {
			return nil, err
		}
		table.enter(e.h)
		for _, s := range e.h.Steps.spansAt(v.position - 1) {
			addPages(pages, s.addr, uint64(len(s.data)))
		}
		addPages(pages, v.PC(), x86.MaxLen)
		if err := e.h.moveOver(true, &traversal); err != nil {
			return nil, err
		}
		addPages(pages, v.PC(), x86.MaxLen)
	}
	e.addOtherMemory(pages)
	return pages, nil
}

func addPages(pages map[uint64]bool, addr, n uint64) {
	if n == 0 {
		return
	}
	for number := addr / pageSize; number <= (addr+n-1)/pageSize; number++ {
		pages[number] = true
	}
}

// minStackBytes is the minimum number of bytes of each thread's stack in a trace.
const minStackBytes = 64 << 10

// addFileHeads adds the first pages of mapped files, which identify the files.
func (e *exporter) addFileHeads(pages map[uint64]bool) {
	for _, m := range e.h.view.maps {
		if m.Offset == 0 && strings.HasPrefix(m.Path, "/") {
			addPages(pages, m.Start, 1)
		}
	}
}

// addOtherMemory adds the stacks of threads and, within the limit, other writable
// memory: small mappings first.
func (e *exporter) addOtherMemory(pages map[uint64]bool) {
	v := &e.h.view
	for i := range v.threads {
		if m, ok := v.maps.Find(v.threads[i].regs.RSP); ok && v.threads[i].alive {
			addPages(pages, v.threads[i].regs.RSP, min(minStackBytes, m.End-v.threads[i].regs.RSP))
		}
	}
	room := e.o.Memory
	if room == 0 {
		room = defaultMemory
	}
	maps := slices.Clone(v.maps)
	slices.SortStableFunc(maps, func(a, b procfs.Map) int { return cmp.Compare(a.End-a.Start, b.End-b.Start) })
	for _, m := range maps {
		if size := m.End - m.Start; (m.Write || relocated(v.maps, m)) && room > 0 && size <= uint64(room) {
			addPages(pages, m.Start, size)
			room -= int(size)
		}
	}
}

// relocated reports whether a read-only mapping may differ from its file because
// the loader relocated it: it lies directly below the writable data.
func relocated(maps procfs.Maps, m procfs.Map) bool {
	next, ok := maps.Find(m.End)
	return ok && !m.Execute && next.Write && next.Path == m.Path && m.Path != ""
}

// pages writes the contents of pages at the last position. Pages that cannot be
// read are zero, because they are mapped only at earlier positions.
func (e *exporter) pages(w *blockWriter, pages map[uint64]bool) {
	numbers := make([]uint64, 0, len(pages))
	for number := range pages {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	var zero, p page
	var b []byte
	for i, number := range numbers {
		n, _ := e.h.view.ReadMemory(number*pageSize, p[:])
		clear(p[n:])
		b = binary.AppendUvarint(b, number)
		if p == zero {
			b = append(b, pageZero)
		} else {
			b = append(append(b, pageFull), p[:]...)
		}
		if len(b) > blockSize-2*pageSize || i == len(numbers)-1 {
			w.block(blockPages, b)
			b = b[:0]
		}
	}
}

// records writes the records. The view must be at the last position, so that
// they hold the contents before each step.
func (e *exporter) records(w *blockWriter, table *threadTable) error {
	var b []byte
	for at := e.o.From; at < e.o.To; at++ {
		if err := e.checkProgress(at - e.o.From); err != nil {
			return err
		}
		c, i := e.h.Steps.at(at)
		if err := e.h.Steps.takeFailure(); err != nil {
			return err
		}
		record := table.renumber(c.record(i), at)
		b = append(binary.AppendUvarint(b, uint64(len(record))), record...)
		if len(b) > blockSize-1024 || at == e.o.To-1 {
			w.block(blockRecords, b)
			b = b[:0]
		}
	}
	return w.err
}
