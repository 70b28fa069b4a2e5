package fulltext

import (
	"encoding/binary"
	"strings"
	"sync"
)

// A Field is a part of a document. An occurrence of a word in it counts Weight times.
type Field struct {
	Text   string
	Weight int
}

// A Document is the text of a document by fields.
type Document []Field

// An Index finds documents, each of which has a key.
type Index[K comparable] struct {
	mu    sync.RWMutex
	terms map[string]*postings
	ids   map[K]uint32
	docs  []doc[K] // by id
	dead  int      // of docs
	total int      // of the lengths of living documents
	stems map[string]string
	count map[string]int // scratch of Put

	scores sync.Pool // of *[]float32, scratch of Search
}

type doc[K comparable] struct {
	key    K
	length int32 // weighted words; -1 for a document that has gone
}

// postings are the documents that have a word.
type postings struct {
	data []byte // pairs of uvarints: the difference to the id before, the weighted count
	last uint32
	n    uint32
}

const (
	// maxStems limits the memory of stems that were computed.
	maxStems = 50_000
	// minDead is the number of dead documents below which nothing is rewritten.
	minDead = 1000
)

// New returns an empty index.
func New[K comparable]() *Index[K] {
	return &Index[K]{terms: map[string]*postings{}, ids: map[K]uint32{}, stems: map[string]string{}, count: map[string]int{}}
}

// Put adds a document, or replaces the one with its key.
func (x *Index[K]) Put(key K, d Document) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.removeLocked(key)
	id := uint32(len(x.docs))
	clear(x.count)
	length := 0
	for _, field := range d {
		Words(field.Text, func(w Word) bool {
			x.count[x.stemLocked(w.Text)] += field.Weight
			length += field.Weight
			return true
		})
	}
	for word, n := range x.count {
		p := x.terms[word]
		if p == nil {
			p = &postings{}
			x.terms[word] = p
		}
		p.add(id, n)
	}
	x.ids[key] = id
	x.docs = append(x.docs, doc[K]{key, int32(length)})
	x.total += length
	x.rewriteLocked()
}

// stemLocked is [Stem] with a memory: it takes longer than all else.
func (x *Index[K]) stemLocked(word string) string {
	if stem, ok := x.stems[word]; ok {
		return stem
	}
	if len(x.stems) >= maxStems {
		clear(x.stems)
	}
	stem := strings.Clone(Stem(word)) // not a part of the document's text
	x.stems[strings.Clone(word)] = stem
	return stem
}

// add appends a document, whose id is larger than those before.
func (p *postings) add(id uint32, count int) {
	p.data = binary.AppendUvarint(p.data, uint64(id-p.last))
	p.data = binary.AppendUvarint(p.data, uint64(count))
	p.last = id
	p.n++
}

// each calls see for each document.
func (p *postings) each(see func(id uint32, count int)) {
	id := uint32(0)
	for data := p.data; len(data) > 0; {
		delta, n := binary.Uvarint(data)
		count, m := binary.Uvarint(data[n:])
		id += uint32(delta)
		see(id, int(count))
		data = data[n+m:]
	}
}

// Remove removes a document, if it is there.
func (x *Index[K]) Remove(key K) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.removeLocked(key)
	x.rewriteLocked()
}

func (x *Index[K]) removeLocked(key K) {
	id, ok := x.ids[key]
	if !ok {
		return
	}
	delete(x.ids, key)
	x.total -= int(x.docs[id].length)
	x.docs[id] = doc[K]{length: -1}
	x.dead++
}

// Len returns the number of documents.
func (x *Index[K]) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.ids)
}

// rewriteLocked drops dead documents once they are many.
func (x *Index[K]) rewriteLocked() {
	if x.dead < minDead || x.dead < len(x.docs)/4 {
		return
	}
	fresh := make([]uint32, len(x.docs)) // new ids by old
	docs := make([]doc[K], 0, len(x.ids))
	for id, d := range x.docs {
		if d.length >= 0 {
			fresh[id] = uint32(len(docs))
			x.ids[d.key] = fresh[id]
			docs = append(docs, d)
		}
	}
	for word, p := range x.terms {
		var living postings
		p.each(func(id uint32, count int) {
			if x.docs[id].length >= 0 {
				living.add(fresh[id], count)
			}
		})
		if living.n == 0 {
			delete(x.terms, word)
			continue
		}
		*p = living
	}
	x.docs, x.dead = docs, 0
}

// Compact returns unused memory, after many documents were added.
func (x *Index[K]) Compact() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.terms {
		if cap(p.data) > len(p.data) {
			p.data = append(make([]byte, 0, len(p.data)), p.data...)
		}
	}
	x.count, x.stems = map[string]int{}, map[string]string{}
}
