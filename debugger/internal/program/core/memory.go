package core

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
		return f.mapped.ReadMemory(addr, b)
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

// readKept reads memory that the core file has itself.
func (f *File) readKept(addr uint64, b []byte) (int, error) {
	p, ok := f.pieces.find(addr)
	if !ok || addr-p.start >= p.dumped {
		return 0, &MemoryError{Address: addr, Cause: errLeftOut}
	}
	skip := addr - p.start
	return f.readDumped(addr, p.at+skip, b[:min(uint64(len(b)), p.dumped-skip)])
}
