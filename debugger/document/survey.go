package document

import (
	"bytes"
	"fmt"
)

// Memory of a node of a tree in bytes, including its links. Measured on the
// engine; a test compares the sum with the heap.
const (
	elementCost   = 232
	attributeCost = 400
	textCost      = 232
	otherCost     = 248 // comments, processing instructions
)

// The engine allocates nodes and text in slabs, so that a small tree takes
// hundreds of kilobytes.
const (
	slabNodes     = 256
	slabText      = 64 * kib
	attributeSlab = slabNodes * (160 + 48 + textCost) // attributes, namespaces and their texts
)

// roundUp returns n as a multiple of unit.
func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// amplification limits the factor by which entities may enlarge a document.
const amplification = 2

// A place is the position of the start of an element in the decoded text.
type place struct{ line, column uint32 }

// A survey holds what is known about a text before it is parsed. It counts the
// text itself, not what entities expand to.
type survey struct {
	starts     []place // of every start tag, in document order
	attributes int
	texts      int
	others     int
	doctype    bool // there is a document type declaration
	entities   bool // the internal subset declares general or parameter entities
	defaults   int  // upper bound of the default attributes of an element
	subset     int  // bytes of the internal subset
	size       int  // bytes of the text
}

// memory returns an upper bound of the tree's memory in bytes. Entities may add
// as much markup as the engine permits, in the worst case one element for every
// four bytes, and each element may get every default attribute of the document
// type.
func (s *survey) memory() int64 {
	elements := int64(len(s.starts))
	sum := roundUp(elements, slabNodes)*elementCost + elements*8 + int64(s.attributes)*attributeCost +
		roundUp(int64(s.texts), slabNodes)*textCost + int64(s.others)*otherCost
	if s.attributes > 0 {
		sum += attributeSlab
	}
	if s.attributes > 0 || s.texts > 0 {
		sum += roundUp(int64(s.size), slabText)
	}
	if s.entities {
		sum += amplification * int64(s.size) * elementCost / 4
	}
	if s.defaults > 0 {
		sum += elements * (int64(s.defaults)*attributeCost + int64(s.subset))
	}
	return sum
}

// A surveyor scans a text. It ignores markup that it cannot interpret, which the
// parser will reject.
type surveyor struct {
	survey
	cursor
	name     string // of the document, for errors
	rest     []byte // the remaining text
	depth    int
	max      Config
	external bool            // there is an external subset, which is never read
	declared map[string]bool // entities of the internal subset, if external
}

// look surveys a decoded text.
func look(name string, text []byte, limits Config) (*survey, error) {
	s := &surveyor{name: name, rest: text, max: limits}
	s.size = len(text)
	for len(s.rest) > 0 {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	if need := s.memory(); need > limits.MaxMemory {
		return nil, &LimitError{
			Subject: name, What: LimitMemory, Limit: limits.MaxMemory, Need: need,
			Detail: fmt.Sprintf("its tree may need %d", need),
		}
	}
	return &s.survey, nil
}

// A construct is markup that begins and ends with fixed strings.
type construct struct{ begin, end string }

var constructs = []construct{
	{"<!--", "-->"},
	{"<?", "?>"},
	{"<![CDATA[", "]]>"},
}

// next scans one construct, or the text before it.
func (s *surveyor) next() error {
	if s.rest[0] != '<' {
		s.texts++
		s.take(until(s.rest, "<"))
		return nil
	}
	for _, c := range constructs {
		if bytes.HasPrefix(s.rest, []byte(c.begin)) {
			s.others++
			s.take(len(c.begin))
			s.take(past(s.rest, c.end))
			return nil
		}
	}
	switch {
	case bytes.HasPrefix(s.rest, []byte("<!DOCTYPE")):
		return s.doctype()
	case bytes.HasPrefix(s.rest, []byte("</")):
		s.depth--
		s.take(past(s.rest, ">"))
		return nil
	}
	return s.startTag()
}

// startTag scans a start tag or an empty-element tag.
func (s *surveyor) startTag() error {
	line, column := s.place()
	s.starts = append(s.starts, place{uint32(line), uint32(column)})
	if s.depth++; s.depth > s.max.MaxDepth {
		return s.exceeds("depth of nested elements", s.max.MaxDepth)
	}
	end, attributes := tagEnd(s.rest)
	if attributes > s.max.MaxAttributes {
		return s.exceeds("attributes of one element", s.max.MaxAttributes)
	}
	s.attributes += attributes
	if err := s.references(s.rest[:end]); err != nil {
		return err
	}
	if end >= 2 && s.rest[end-2] == '/' {
		s.depth--
	}
	s.take(end)
	return nil
}

// tagEnd returns the length of the tag at the start of text and its number of
// quoted values.
func tagEnd(text []byte) (length, quoted int) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '>':
			return i + 1, quoted
		case '"', '\'':
			quoted++
			i += 1 + until(text[i+1:], string(text[i]))
		}
	}
	return len(text), quoted
}

// exceeds returns the error for a limit, at the current position.
func (s *surveyor) exceeds(what string, limit int) error {
	line, column := s.place()
	return &LimitError{Subject: at(s.name, line, column), What: what, Limit: int64(limit)}
}

// take advances by n bytes.
func (s *surveyor) take(n int) {
	s.advance(s.rest[:n])
	s.rest = s.rest[n:]
}

// until returns the index of the mark in text, or the length of text.
func until(text []byte, mark string) int {
	if i := bytes.Index(text, []byte(mark)); i >= 0 {
		return i
	}
	return len(text)
}

// past returns the index after the mark in text, or the length of text.
func past(text []byte, mark string) int {
	return min(until(text, mark)+len(mark), len(text))
}
