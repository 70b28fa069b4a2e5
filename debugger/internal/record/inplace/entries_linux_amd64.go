package inplace

import (
	"cmp"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/codecache"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// Entries are the places in files at which processes have entered their translation, in earlier
// runs too. A Runner that knows them translates those of a file at once, when its process comes to
// the file, so that it stops for few of them. They say what is worth translating, and never how: wrong
// entries cost time only.
type Entries struct {
	cache *filecache.Cache
	files map[string]*fileEntries // by path
}

// fileEntries are the entries of a file.
type fileEntries struct {
	key    string // in the cache, or "" if they are not kept
	list   []fileEntry
	have   map[fileEntry]bool
	loaded int // so many of the list are of earlier runs
}

// A fileEntry is an offset in a file, times two, and one more if an indirect branch led there.
type fileEntry uint64

// maxFileEntries is the number of entries of a file from which on they are collected anew: those that are not
// needed any more cost time.
const maxFileEntries = 1 << 17

// NewEntries returns entries that are kept in a cache.
func NewEntries(cache *filecache.Cache) *Entries {
	return &Entries{cache: cache, files: make(map[string]*fileEntries)}
}

// of returns the entries of a file.
func (e *Entries) of(path string) *fileEntries {
	f, ok := e.files[path]
	if !ok {
		f = &fileEntries{have: make(map[fileEntry]bool)}
		e.files[path] = f
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			name, _ := filestamp.Of(info).AppendBinary([]byte("entries 1 "))
			f.key = string(name)
			f.load(e.cache)
		}
	}
	return f
}

// load reads what was kept, as far as it is valid.
func (f *fileEntries) load(cache *filecache.Cache) {
	data, _ := cache.Get(f.key)
	at := int64(0)
	for len(data) > 0 && len(f.list) < maxFileEntries {
		step, n := binary.Varint(data)
		if at += step; n <= 0 || at < 0 {
			return
		}
		data = data[n:]
		f.add(fileEntry(at))
	}
	f.loaded = len(f.list)
}

// add adds an entry if it is new.
func (f *fileEntries) add(e fileEntry) {
	if !f.have[e] && len(f.list) < 2*maxFileEntries {
		f.have[e] = true
		f.list = append(f.list, e)
	}
}

// Save keeps the entries for other runs, those of files for which there are enough new ones.
func (e *Entries) Save() error {
	if e == nil {
		return nil
	}
	const part, few = 64, 4 // new entries are worth a write
	var failed error
	for _, f := range e.files {
		if added := len(f.list) - f.loaded; f.key == "" || added < few+f.loaded/part {
			continue
		}
		failed = errors.Join(failed, e.cache.Put(f.key, f.encode()))
		f.loaded = len(f.list)
	}
	return failed
}

func (f *fileEntries) encode() []byte {
	list := f.list
	if len(list) > maxFileEntries {
		list = list[max(f.loaded, len(list)-maxFileEntries):]
	}
	var data []byte
	last := fileEntry(0)
	for _, e := range list {
		data = binary.AppendVarint(data, int64(e-last))
		last = e
	}
	return data
}

// knownFile is a mapped file whose code the process has come to.
type knownFile struct {
	procfs.Map
	entries *fileEntries
}

// maxPrepared is the number of times that a process forgets its code until nothing is prepared any
// more: it changes it all the time.
const maxPrepared = 8

// Learn makes the Runner use entries, and add to them. It must be called before the first Run.
func (r *Runner) Learn(e *Entries) {
	r.space.entries = e
	r.space.cache.Missed = r.space.missed
}

// missed notes that the process comes to code that is not translated. When it first comes to a file, what is
// known of that is translated.
func (cs *codeSpace) missed(pc uint64, indirect bool) (few bool) {
	file := cs.knownFile(pc)
	if file == nil {
		return false
	}
	e := fileEntry(pc-file.Start+file.Offset) << 1
	if indirect {
		e |= 1
	}
	file.entries.add(e)
	return file.entries.loaded > 0 && cs.forgotten < maxPrepared
}

// knownFile returns the file with the code at an address, or nil.
func (cs *codeSpace) knownFile(pc uint64) *knownFile {
	at, found := slices.BinarySearchFunc(cs.known, pc, func(f knownFile, pc uint64) int {
		switch {
		case f.End <= pc:
			return -1
		case f.Start > pc:
			return 1
		}
		return 0
	})
	if found {
		return &cs.known[at]
	}
	m, ok := cs.code.find(pc)
	if !ok || !m.Execute || m.Write || m.Shared || !strings.HasPrefix(m.Path, "/") {
		return nil
	}
	cs.known = slices.DeleteFunc(cs.known, func(f knownFile) bool { return f.Start < m.End && m.Start < f.End }) // it was unmapped
	at, _ = slices.BinarySearchFunc(cs.known, m.Start, func(f knownFile, start uint64) int { return cmp.Compare(f.Start, start) })
	file := knownFile{m, cs.entries.of(m.Path)}
	cs.known = slices.Insert(cs.known, at, file)
	if cs.forgotten < maxPrepared {
		cs.cache.Prepare(file.in(file.entries.list[:file.entries.loaded]))
	}
	return &cs.known[at]
}

// in returns those of a list of entries that are in the mapping.
func (f *knownFile) in(list []fileEntry) []codecache.Entry {
	found := make([]codecache.Entry, 0, len(list))
	for _, e := range list {
		if offset := uint64(e >> 1); offset-f.Offset < f.End-f.Start {
			found = append(found, codecache.Entry{PC: f.Start + offset - f.Offset, Indirect: e&1 != 0})
		}
	}
	return found
}
