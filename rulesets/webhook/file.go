package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A File is a record in a file. The file named like it with ".lock" at the end is locked
// while a process leads; the system unlocks it when that process ends.
type File struct {
	name  string
	every time.Duration // between two attempts to lock the file
	state state         // as in the file; read by Known
}

var _ Record = (*File)(nil)

// state is the content of the file.
type state struct {
	Delivered map[ruleset.Name]int `json:"delivered"`
	Signer    string               `json:"signer,omitempty"`
}

// OpenFile returns the record in a file, which Begin makes.
func OpenFile(name string) *File { return &File{name: name, every: lockEvery} }

// Close implements [Record].
func (f *File) Close() error { return nil }

// Lead implements [Record].
func (f *File) Lead(ctx context.Context, deliver func(context.Context) error) error {
	if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
		return err
	}
	lock := flock.New(f.name + ".lock")
	if locked, err := lock.TryLockContext(ctx, f.every); err != nil || !locked {
		return err
	}
	defer func() { _ = lock.Unlock() }() // else it ends with the process
	return deliver(ctx)
}

// Known implements [Record].
func (f *File) Known(context.Context) (map[ruleset.Name]int, error) {
	f.state = state{}
	text, err := os.ReadFile(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &f.state)
	}
	if f.state.Delivered == nil {
		f.state.Delivered = map[ruleset.Name]int{}
	}
	return maps.Clone(f.state.Delivered), err
}

// Begin implements [Record].
func (f *File) Begin(_ context.Context, known map[ruleset.Name]int) error {
	f.state.Delivered = maps.Clone(known)
	return f.save()
}

// Accepted implements [Record].
func (f *File) Accepted(_ context.Context, m Message) error {
	f.state.Delivered = after(f.state.Delivered, m)
	return f.save()
}

// Signer implements [Record].
func (f *File) Signer(_ context.Context, id string) (before string, err error) {
	before = f.state.Signer
	if before == id {
		return before, nil
	}
	f.state.Signer = id
	return before, f.save()
}

// save replaces the file. It is synced, so that a revision of which the URL was told is
// not told again after a power cut, mostly.
func (f *File) save() error {
	text, err := json.Marshal(f.state)
	if err != nil {
		return err
	}
	return atomicfile.Write(f.name, text, 0o600)
}
