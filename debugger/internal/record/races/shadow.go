package races

import "math/bits"

// The shadow has what is known of each word of memory that was accessed. Words are 4 bytes, so that
// most variables have words of their own.
const (
	wordSize  = 4
	lineWords = 16
	lineSize  = wordSize * lineWords

	// lineBytes is about what a line takes.
	lineBytes = 2048
)

// A stamp is an access to a word.
type stamp struct {
	Side
	time  uint32 // of its thread
	index int32  // of the thread
	mask  uint8  // bytes of the word; 0: there is none
}

// A word has the accesses to a word of memory that the next one is compared with.
type word struct {
	write stamp
	read  stamp
	more  []stamp // reads of other threads
	sync  uint8   // bytes that threads synchronize by
}

type line [lineWords]word

// maxReads bounds the threads whose reads of a word are remembered.
const maxReads = 8

// reads calls f with the last reads.
func (w *word) reads(f func(s *stamp)) {
	if w.read.mask != 0 {
		f(&w.read)
	}
	for n := range w.more {
		f(&w.more[n])
	}
}

// addRead adds a read, in place of one that is before it.
func (w *word) addRead(s *stamp, seen clock) {
	before := func(old *stamp) bool {
		return old.mask == 0 || old.time <= seen.of(int(old.index)) && old.mask&^s.mask == 0
	}
	if before(&w.read) {
		w.read = *s
		return
	}
	for n := range w.more {
		if before(&w.more[n]) {
			w.more[n] = *s
			return
		}
	}
	if len(w.more) < maxReads {
		w.more = append(w.more, *s)
	}
}

// addWrite makes a write the last one, and forgets the reads of what it has overwritten.
func (w *word) addWrite(s *stamp) {
	w.write = *s
	if w.read.mask&^s.mask == 0 {
		w.read = stamp{}
	}
	kept := w.more[:0]
	for n := range w.more {
		if w.more[n].mask&^s.mask != 0 {
			kept = append(kept, w.more[n])
		}
	}
	w.more = kept
}

// eachWord calls f with the words of a range and the bytes of them that are in it.
func eachWord(addr, length uint64, f func(word uint64, mask uint8)) {
	for end := addr + length; addr < end; {
		first := addr % wordSize
		n := min(wordSize-first, end-addr)
		f(addr/wordSize, uint8(1<<n-1)<<first)
		addr += n
	}
}

// bytesOf returns where the bytes of a mask begin in a word, and how many there are from there on.
func bytesOf(mask uint8) (first, n uint64) {
	return uint64(bits.TrailingZeros8(mask)), uint64(bits.Len8(mask) - bits.TrailingZeros8(mask))
}
