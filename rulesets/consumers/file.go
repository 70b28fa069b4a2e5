package consumers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// A File is a book in a file.
type File struct {
	file string
	now  func() time.Time

	mu    sync.Mutex
	known map[string]Consumer // as the file with this stamp has them
	stamp filestamp.Stamp     // zero if the file has to be read again
}

var _ Book = (*File)(nil)

// OpenFile returns the book in a file, which is made with the first report.
func OpenFile(file string, now func() time.Time) *File { return &File{file: file, now: now} }

// Close implements [Book].
func (b *File) Close() error { return nil }

// Report implements [Book].
func (b *File) Report(_ context.Context, r Report) error {
	if err := r.check(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.load()
	if err != nil {
		return err
	}
	now := b.now()
	id := r.consumer(now).id()
	if _, write := r.after(all[id], now); !write {
		return nil
	}
	return b.change(func(all map[string]Consumer) {
		if fresh, write := r.after(all[id], now); write {
			all[id] = fresh
		}
	})
}

// Add implements [Book].
func (b *File) Add(_ context.Context, more []Consumer) error {
	if len(more) == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.change(func(all map[string]Consumer) {
		for _, c := range more {
			if old, known := all[c.id()]; !known || old.Seen.Before(c.Seen) {
				all[c.id()] = c
			}
		}
	})
}

// change changes the file while it holds the lock that processes share.
func (b *File) change(edit func(all map[string]Consumer)) error {
	if err := os.MkdirAll(filepath.Dir(b.file), 0o700); err != nil {
		return err
	}
	return b.locked(func() error {
		known, err := b.load()
		if err != nil {
			return err
		}
		all := maps.Clone(known)
		edit(all)
		text, err := bounded(all)
		if err != nil {
			return err
		}
		return atomicfile.WriteUnsynced(b.file, text, 0o600)
	})
}

// locked calls a function while it holds the lock that processes share.
func (b *File) locked(do func() error) (err error) {
	lock := flock.New(b.file + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return do()
}

// movedSuffix ends the name of the file with the consumers that were moved to another book.
const movedSuffix = ".moved"

// MoveTo adds the consumers to another book, and moves them out of the file into one beside
// it, whose name has ".moved" at its end. No report of another process is lost: it is moved,
// or begins the file anew.
func (b *File) MoveTo(ctx context.Context, book Book) error {
	if _, err := os.Stat(b.file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.locked(func() error {
		known, err := b.load()
		if err != nil || len(known) == 0 {
			return err
		}
		all := slices.SortedFunc(maps.Values(known), compare)
		if err := book.Add(ctx, all); err != nil {
			return err
		}
		if err := OpenFile(b.file+movedSuffix, b.now).Add(ctx, all); err != nil {
			return err
		}
		return os.Remove(b.file)
	})
}

// bounded returns the consumers with the latest reports as JSON.
func bounded(all map[string]Consumer) ([]byte, error) {
	list := slices.SortedFunc(maps.Values(all), func(a, b Consumer) int {
		return cmp.Or(b.Seen.Compare(a.Seen), strings.Compare(a.id(), b.id()))
	})
	text := []byte("[")
	for i, c := range list[:min(len(list), MaxConsumers)] {
		one, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		if len(text)+len(one) > MaxBytes {
			break
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, one...)
	}
	return append(text, ']'), nil
}

// load returns the consumers of the file by id. The map must not be changed.
func (b *File) load() (map[string]Consumer, error) {
	stamp, err := filestamp.Stat(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]Consumer{}, nil
	}
	if err != nil {
		return nil, err
	}
	if stamp == b.stamp {
		return b.known, nil
	}
	text, err := os.ReadFile(b.file)
	if err != nil {
		return nil, err
	}
	var list []Consumer
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", b.file, err)
	}
	all := make(map[string]Consumer, len(list))
	for _, c := range list {
		all[c.id()] = c
	}
	if b.known, b.stamp = all, stamp; !stamp.Settled(time.Now()) {
		b.stamp = filestamp.Stamp{}
	}
	return all, nil
}

// All implements [Book].
func (b *File) All(context.Context) ([]Consumer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, err := b.load()
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(all), compare), nil
}
