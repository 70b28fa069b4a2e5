package ptrace

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// A PageMap tells which pages of a process are in memory or swapped out. It may be used on
// any thread.
type PageMap struct {
	pageScan
	pid  int
	file *os.File

	entries bool        // the kernel has no PAGEMAP_SCAN (Linux 6.7)
	used    procfs.Used // then, pages by mapping; nil until it is needed
}

// OpenPageMap opens the page map of a process.
func OpenPageMap(pid int) (*PageMap, error) {
	file, err := os.Open("/proc/" + strconv.Itoa(pid) + "/pagemap")
	if err != nil {
		return nil, err
	}
	return &PageMap{pageScan: pageScan{pagemap: int(file.Fd())}, pid: pid, file: file}, nil
}

// Close closes the page map.
func (p *PageMap) Close() error { return p.file.Close() }

// Pieces in which a range is looked at, so that a request can end between them. The kernel
// skips memory without page tables in a scan, but not in the entries of pagemap.
const (
	scanPiece  = 1 << 36
	entryPiece = 1 << 28
)

// Present returns the pages of a mapping that are in memory or swapped out. The mapping must
// be whole.
func (p *PageMap) Present(ctx context.Context, mapping Range) ([]Range, error) {
	return p.find(ctx, mapping, false)
}

// Own is Present without the pages of a file: of a private mapping of a file, it returns those that
// the process has written, and so has copies of.
func (p *PageMap) Own(ctx context.Context, mapping Range) ([]Range, error) {
	return p.find(ctx, mapping, true)
}

func (p *PageMap) find(ctx context.Context, mapping Range, own bool) ([]Range, error) {
	if !p.entries {
		found, err := p.scanPresent(ctx, mapping, own)
		if !errors.Is(err, unix.ENOTTY) {
			return found, err
		}
		p.entries = true
	}
	return p.readPresent(ctx, mapping, own)
}

// scanPresent is find by PAGEMAP_SCAN.
func (p *PageMap) scanPresent(ctx context.Context, r Range, own bool) (found []Range, err error) {
	const there = pageIsPresent | pageIsSwapped
	arg := scanArg{anyOf: there, returnMask: there}
	if own {
		arg.inverted, arg.mask = pageIsFile, pageIsFile
	}
	for at := r.Start; at < r.End; at += scanPiece {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		piece := Range{at, min(r.End, at+scanPiece)}
		if found, err = p.scan(piece, arg, found); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// readPresent is find by the entries of pagemap(5). It ends when it has found as many pages
// as the mapping has.
func (p *PageMap) readPresent(ctx context.Context, r Range, own bool) (found []Range, err error) {
	if p.used == nil {
		if p.used, err = procfs.ReadUsed(p.pid); err != nil {
			return nil, err
		}
	}
	left := p.used[r.Start]
	for at := r.Start; at < r.End && left > 0; at += entryPiece {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b := make([]byte, (min(r.End, at+entryPiece)-at)/pageSize*entrySize)
		if _, err := p.file.ReadAt(b, int64(at/pageSize*entrySize)); err != nil {
			return nil, fmt.Errorf("look at the pages at %#x: %w", at, err)
		}
		for page := at; len(b) > 0; b, page = b[entrySize:], page+pageSize {
			const present, swapped, ofFile = 1 << 63, 1 << 62, 1 << 61
			entry := binary.LittleEndian.Uint64(b)
			if entry&(present|swapped) == 0 {
				continue
			}
			left -= min(left, pageSize)
			if !own || entry&ofFile == 0 {
				found = AppendRange(found, Range{page, page + pageSize})
			}
		}
	}
	return found, nil
}

const (
	pageSize  = 4096
	entrySize = 8 // of pagemap, a page
)

// A pageScan asks the kernel for pages with certain properties.
type pageScan struct {
	pagemap int // /proc/PID/pagemap, -1 if not open
	found   []pageRegion
}

// scan repeats PAGEMAP_SCAN until the end of the range.
func (w *pageScan) scan(r Range, arg scanArg, dst []Range) ([]Range, error) {
	if w.found == nil {
		w.found = make([]pageRegion, regionsAtOnce)
	}
	arg.size = uint64(unsafe.Sizeof(arg))
	arg.vec, arg.vecLen = uint64(uintptr(unsafe.Pointer(&w.found[0]))), uint64(len(w.found))
	for arg.start, arg.end = r.Start, r.End; arg.start < r.End; arg.start = arg.walkEnd {
		n, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(w.pagemap), pagemapScan, uintptr(unsafe.Pointer(&arg)))
		switch {
		case e == unix.EPERM:
			return dst, ErrUnwatched
		case e != 0:
			return dst, fmt.Errorf("look at the pages at %#x: %w", arg.start, e)
		case arg.walkEnd <= arg.start:
			return dst, nil
		}
		for _, f := range w.found[:n] {
			dst = AppendRange(dst, Range{f.start, f.end})
		}
	}
	return dst, nil
}
