package validate

import (
	"encoding/binary"
	"hash/maphash"
)

// A textSet is a set of texts that takes little memory for each: the text, its length, and
// at most eight bytes.
type textSet struct {
	seed   maphash.Seed
	chunks [][]byte        // of texts, each behind its length
	table  []uint32        // addresses of texts, by their hashes; 0 for none
	count  int             // of the addresses in table
	long   map[string]bool // texts that do not fit in a chunk
}

const (
	chunkBits  = 16
	chunkSize  = 1 << chunkBits
	maxChunks  = 1 << (32 - chunkBits)
	maxInTable = chunkSize / 4
)

// add adds a text and reports whether it is new.
func (s *textSet) add(text string) bool {
	if len(text) > maxInTable || len(s.chunks) == maxChunks {
		if s.has(text) {
			return false
		}
		if s.long == nil {
			s.long = map[string]bool{}
		}
		s.long[string([]byte(text))] = true // not a part of a larger string
		return true
	}
	if 4*(s.count+1) > 3*len(s.table) {
		s.grow()
	}
	slot := s.slot(text)
	if s.table[slot] != 0 {
		return false
	}
	s.table[slot] = s.store(text)
	s.count++
	return true
}

// has reports whether a text is in the set.
func (s *textSet) has(text string) bool {
	return s.long[text] || len(s.table) > 0 && s.table[s.slot(text)] != 0
}

// size returns the number of texts.
func (s *textSet) size() int { return s.count + len(s.long) }

// slot returns where the address of a text is in the table, or where it would be.
func (s *textSet) slot(text string) int {
	mask := len(s.table) - 1
	for i := int(maphash.String(s.seed, text)) & mask; ; i = (i + 1) & mask {
		if at := s.table[i]; at == 0 || string(s.text(at)) == text {
			return i
		}
	}
}

// text returns the text at an address, which counts from one.
func (s *textSet) text(at uint32) []byte {
	at--
	b := s.chunks[at>>chunkBits][at&(chunkSize-1):]
	length, n := binary.Uvarint(b)
	return b[n:][:length]
}

// store keeps a text and returns its address.
func (s *textSet) store(text string) uint32 {
	last := len(s.chunks) - 1
	if last < 0 || len(s.chunks[last])+binary.MaxVarintLen32+len(text) > chunkSize {
		s.chunks = append(s.chunks, make([]byte, 0, chunkSize))
		last++
	}
	at := len(s.chunks[last])
	b := binary.AppendUvarint(s.chunks[last], uint64(len(text)))
	s.chunks[last] = append(b, text...)
	return uint32(last<<chunkBits|at) + 1
}

// grow makes the table twice as large.
func (s *textSet) grow() {
	old := s.table
	if old == nil {
		s.seed = maphash.MakeSeed()
	}
	s.table = make([]uint32, max(64, 2*len(old)))
	for _, at := range old {
		if at != 0 {
			s.table[s.slot(string(s.text(at)))] = at
		}
	}
}
