package core

// pageSize is the size of the pages that mapped files are in.
const pageSize = 4096

// ReadMemory reads memory. It returns how many bytes could be read, and a
// [*MemoryError] when not all could.
func (f *File) ReadMemory(addr uint64, b []byte) (int, error) {
	for n := 0; ; {
		if n == len(b) {
			return n, nil
		}
		k, err := f.readPiece(addr+uint64(n), b[n:])
		if n += k; err != nil {
			return n, err
		}
	}
}

// readPiece reads at most to where something else begins.
func (f *File) readPiece(addr uint64, b []byte) (int, error) {
	p, ok := f.pieces.find(addr)
	if !ok {
		return 0, &MemoryError{Address: addr, Cause: errUnmapped}
	}
	skip := addr - p.start
	b = b[:min(uint64(len(b)), p.end-addr)]
	switch {
	case skip < p.dumped:
		return f.readDumped(addr, p.at+skip, b[:min(uint64(len(b)), p.dumped-skip)])
	case p.file:
		return f.readMapped(addr, p, b)
	case p.read: // the kernel leaves out what was never written
		clear(b)
		return len(b), nil
	}
	return 0, &MemoryError{Address: addr, Cause: errLeftOut}
}

// readDumped reads from the core file.
func (f *File) readDumped(addr, at uint64, b []byte) (int, error) {
	if at >= f.size {
		return 0, &MemoryError{Address: addr, Cause: errCut}
	}
	b = b[:min(uint64(len(b)), f.size-at)]
	if err := readAll(f.r, at, b); err != nil {
		return 0, &MemoryError{Address: addr, Cause: err}
	}
	return len(b), nil
}

// readMapped reads from the file that was mapped. Behind its end a page is
// zero.
func (f *File) readMapped(addr uint64, p *piece, b []byte) (int, error) {
	m := f.module(p.path)
	if m.err != nil {
		return 0, &MemoryError{Address: addr, File: p.path, Cause: m.err}
	}
	at := p.offset + (addr - p.start)
	end := (m.size + pageSize - 1) &^ (pageSize - 1)
	if at >= end || at < p.offset {
		return 0, &MemoryError{Address: addr, File: p.path, Cause: errShort}
	}
	b = b[:min(uint64(len(b)), end-at)]
	n := 0
	if at < m.size {
		n = int(min(uint64(len(b)), m.size-at))
		if err := readAll(m.source, at, b[:n]); err != nil {
			return 0, &MemoryError{Address: addr, File: p.path, Cause: err}
		}
	}
	clear(b[n:])
	return len(b), nil
}
