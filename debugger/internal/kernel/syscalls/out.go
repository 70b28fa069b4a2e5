package syscalls

import "encoding/binary"

// An out adds memory that a call writes to its effect.
type out func(e *effect)

// fixed returns an out for n bytes at the address in an argument.
func fixed(arg int, n uint64) out {
	return func(e *effect) { e.add(e.call.Args[arg], n) }
}

// bytes returns an out for a buffer whose length in bytes is in another argument.
func bytes(arg, length int) out { return times(arg, length, 1) }

// times returns an out for an array whose number of elements is in another
// argument.
func times(arg, count int, size uint64) out {
	return func(e *effect) {
		n := min(e.call.Args[count], maxCount/size)
		e.add(e.call.Args[arg], n*size)
	}
}

// maxCount limits the length of what a call may write: with five-level paging addresses
// of programs have 56 bits.
const maxCount = 1 << 56

// sized returns an out for a buffer whose length is a 32-bit number in memory,
// which the call writes, too.
func sized(arg, length int) out {
	return func(e *effect) {
		var b [4]byte
		if p := e.call.Args[length]; p != 0 && e.read(p, b[:]) {
			e.add(e.call.Args[arg], uint64(binary.LittleEndian.Uint32(b[:])))
			e.add(p, 4)
		}
	}
}

// maxVector is IOV_MAX: the kernel rejects longer arrays.
const maxVector = 1024

// vectors returns an out for the buffers of an array of struct iovec.
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

// message returns an out for a struct msghdr and the memory that it points to.
func message(arg int) out {
	return func(e *effect) { e.message(e.call.Args[arg]) }
}

func (e *effect) message(addr uint64) {
	var b [56]byte
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
	if !e.read(addr, b[:]) {
		return
	}
	e.add(addr, 56)
	e.add(word(0), uint64(binary.LittleEndian.Uint32(b[8:])))
	e.vectors(word(16), word(24))
	e.add(word(32), min(word(40), maxCount))
}

// messages returns an out for an array of struct mmsghdr: messages, each with the number of
// its bytes.
func messages(arg, count int) out {
	return func(e *effect) {
		const size, length = 64, 56
		for n := range min(e.call.Args[count]&(1<<32-1), maxVector) {
			at := e.call.Args[arg] + n*size
			e.message(at)
			e.add(at+length, 4)
		}
	}
}

// typed returns an out for a message with its type before it, of which another argument has
// the length.
func typed(arg, length int) out {
	return func(e *effect) { e.add(e.call.Args[arg], min(e.call.Args[length], maxCount)+8) }
}

// sets handles the three fd_sets of select, with one bit for each descriptor.
func sets(e *effect) {
	n := (min(e.call.Args[0], 1<<20) + 63) / 64 * 8
	for _, addr := range e.call.Args[1:4] {
		e.add(addr, n)
	}
}

// residency handles mincore, which writes a byte for each page.
func residency(e *effect) {
	e.add(e.call.Args[2], min(e.call.Args[1], maxCount)/4096+1)
}

// replaced handles mmap with MAP_FIXED, which replaces the memory in a range.
func replaced(e *effect) {
	const fixedAddress = 0x10
	if e.call.Args[3]&fixedAddress != 0 {
		e.add(e.call.Args[0], min(e.call.Args[1], maxCount))
	}
}

// moved handles mremap, which may remove one range and replace another.
func moved(e *effect) {
	const fixedAddress = 2
	e.add(e.call.Args[0], min(e.call.Args[1], maxCount))
	if e.call.Args[3]&fixedAddress != 0 {
		e.add(e.call.Args[4], min(e.call.Args[2], maxCount))
	}
}
