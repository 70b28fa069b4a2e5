package kernel

import "encoding/binary"

// An out is a piece of memory that a call writes.
type out func(e *effect)

// fixed is n bytes where an argument points.
func fixed(arg int, n uint64) out {
	return func(e *effect) { e.add(e.call.Args[arg], n) }
}

// bytes is a buffer: its length in bytes is another argument.
func bytes(arg, length int) out { return times(arg, length, 1) }

// times is an array: how many elements is another argument.
func times(arg, count int, size uint64) out {
	return func(e *effect) {
		n := min(e.call.Args[count], maxCount/size)
		e.add(e.call.Args[arg], n*size)
	}
}

// maxCount bounds what a call may write: addresses have 47 bits.
const maxCount = 1 << 47

// sized is a buffer whose length is a 32-bit number in memory, which is written
// too.
func sized(arg, length int) out {
	return func(e *effect) {
		var b [4]byte
		if p := e.call.Args[length]; p != 0 && e.read(p, b[:]) {
			e.add(e.call.Args[arg], uint64(binary.LittleEndian.Uint32(b[:])))
			e.add(p, 4)
		}
	}
}

// maxVector is IOV_MAX: the kernel refuses more.
const maxVector = 1024

// vectors are the buffers of an array of struct iovec.
func vectors(arg, count int) out {
	return func(e *effect) { e.vectors(e.call.Args[arg], e.call.Args[count]) }
}

func (e *effect) vectors(addr, count uint64) {
	b := make([]byte, 16*min(count, maxVector))
	if len(b) == 0 || !e.read(addr, b) {
		return
	}
	for ; len(b) > 0; b = b[16:] {
		e.add(binary.LittleEndian.Uint64(b), min(binary.LittleEndian.Uint64(b[8:]), maxCount))
	}
}

// message is a struct msghdr and what it points to.
func message(arg int) out {
	return func(e *effect) {
		var b [56]byte
		word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
		if !e.read(e.call.Args[arg], b[:]) {
			return
		}
		e.add(e.call.Args[arg], 56)
		e.add(word(0), uint64(binary.LittleEndian.Uint32(b[8:])))
		e.vectors(word(16), word(24))
		e.add(word(32), min(word(40), maxCount))
	}
}

// sets are the three fd_sets of select, each with a bit for a descriptor.
func sets(e *effect) {
	n := (min(e.call.Args[0], 1<<20) + 63) / 64 * 8
	for _, addr := range e.call.Args[1:4] {
		e.add(addr, n)
	}
}

// residency is mincore's vector of a byte for each page.
func residency(e *effect) {
	e.add(e.call.Args[2], min(e.call.Args[1], maxCount)/4096+1)
}

// replaced is the range that mmap with MAP_FIXED takes the place of.
func replaced(e *effect) {
	const fixedAddress = 0x10
	if e.call.Args[3]&fixedAddress != 0 {
		e.add(e.call.Args[0], min(e.call.Args[1], maxCount))
	}
}

// moved returns the ranges that mremap removes and replaces.
func moved(e *effect) {
	const fixedAddress = 2
	e.add(e.call.Args[0], min(e.call.Args[1], maxCount))
	if e.call.Args[3]&fixedAddress != 0 {
		e.add(e.call.Args[4], min(e.call.Args[2], maxCount))
	}
}
