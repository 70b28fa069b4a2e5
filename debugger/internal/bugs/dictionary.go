package bugs

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A dictionary assigns ids to the names of a tree, from 1, and to their words:
// names in snake case or camel case consist of several. Its methods may be called
// concurrently.
type dictionary struct {
	mu    sync.RWMutex
	ids   map[string]uint32
	texts []string   // by id
	parts [][]uint32 // by id: the ids of the words of a name with several words
	bytes int64      // approximate memory use
}

func newDictionary() *dictionary {
	return &dictionary{ids: map[string]uint32{}, texts: make([]string, 1), parts: make([][]uint32, 1)}
}

// number returns the ids of names, in their order.
func (d *dictionary) number(names []string) []uint32 {
	ids := make([]uint32, len(names))
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, name := range names {
		id, ok := d.ids[name]
		if !ok {
			id = d.addLocked(strings.Clone(name))
			if words := nameWords(name); len(words) > 1 {
				d.parts[id] = d.wordsLocked(words)
			}
		}
		ids[i] = id
	}
	return ids
}

// wordsLocked returns the ids of the words of a name. Each word is a name itself.
func (d *dictionary) wordsLocked(words []string) []uint32 {
	ids := make([]uint32, 0, len(words))
	for _, word := range words {
		word = strings.ToLower(word)
		id, ok := d.ids[word]
		if !ok {
			id = d.addLocked(strings.Clone(word))
		}
		ids = append(ids, id)
	}
	return ids
}

func (d *dictionary) addLocked(name string) uint32 {
	id := uint32(len(d.parts))
	d.ids[name] = id
	d.texts = append(d.texts, name)
	d.parts = append(d.parts, nil)
	d.bytes += nameCost + int64(len(name))
	return id
}

// nameCost is the approximate memory use of a name in addition to its text.
const nameCost = 120

// size returns the approximate memory use of the dictionary.
func (d *dictionary) size() int64 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.bytes
}

// known returns the ids of names, sorted and each once. It reports whether all of
// them have one.
func (d *dictionary) known(names []string) (ids []uint32, ok bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, name := range names {
		id, ok := d.ids[name]
		if !ok {
			return nil, false
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return slices.Compact(ids), true
}

// text returns the name with an id.
func (d *dictionary) text(id uint32) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.texts[id]
}

// snapshot returns the words of all names numbered so far.
func (d *dictionary) snapshot() [][]uint32 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.parts[:len(d.parts):len(d.parts)]
}

// minWord is the minimum length of a word in bytes.
const minWord = 3

// nameWords splits a name or a string literal at changes of case and at
// characters that are neither letters nor digits: readHTTPBody has the words
// read, HTTP and Body. Words shorter than minWord are omitted.
func nameWords(name string) []string {
	var words []string
	begin := 0
	cut := func(end int) {
		if end-begin >= minWord {
			words = append(words, name[begin:end])
		}
		begin = end
	}
	var before rune
	for i, r := range name {
		_, size := utf8.DecodeRuneInString(name[i:])
		next, _ := utf8.DecodeRuneInString(name[i+size:])
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			cut(i)
			begin = i + size
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && unicode.IsLower(next)):
			cut(i)
		}
		before = r
	}
	cut(len(name))
	return words
}
