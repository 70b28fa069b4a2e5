// Package diskspace knows which of a server's folders are on a full disk.
//
//	w := diskspace.NewWatch(log, data, filepath.Join(data, "audit"))
//	go w.Run(ctx)
//	err := w.Err() // nil, or that a disk is full
//
// A folder is looked at every few seconds: where little space is free, a small file shows
// whether anything can be written, and where nothing could, whether something can again. The
// log has one line when there is a full disk and one when there is none any more: folders may
// be on one disk.
package diskspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"slices"
	"sync"
	"time"
)

// interval is the time between two looks at a folder.
const interval = 5 * time.Second

// low is the free space, in bytes, below which a file is written to see whether it can be.
const low = 4 << 20

// probeSize is the size of that file: what a change of some size takes.
const probeSize = 64 << 10

// A Watch looks at folders. Its methods may be called concurrently.
type Watch struct {
	log     *slog.Logger
	folders []string

	mu    sync.Mutex
	full  map[string]error // by folder
	since time.Time        // when the first of them was seen
}

// NewWatch returns a Watch of folders, which may be on one disk or on several, and need not
// exist yet.
func NewWatch(log *slog.Logger, folders ...string) *Watch {
	slices.Sort(folders)
	return &Watch{log: log, folders: slices.Compact(folders), full: map[string]error{}}
}

// Run looks at the folders until ctx is done.
func (w *Watch) Run(ctx context.Context) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		w.Look()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// Look looks at the folders once.
func (w *Watch) Look() {
	for _, folder := range w.folders {
		free, err := Free(folder)
		if err == nil && free >= low && !w.isFull(folder) {
			continue
		}
		if err == nil {
			err = probe(folder)
		}
		if isFull(err) {
			w.Saw(folder, err)
		} else { // it has space, or is gone or closed to the server, which its users are told
			w.recover(folder)
		}
	}
}

// Saw notes that something could not be written to a folder, if err says that its disk is
// full.
func (w *Watch) Saw(folder string, err error) {
	if !isFull(err) || !slices.Contains(w.folders, folder) {
		return
	}
	w.mu.Lock()
	first := len(w.full) == 0
	if first {
		w.since = time.Now()
	}
	w.full[folder] = err
	w.mu.Unlock()
	if first {
		w.log.Error("the disk is full: nothing can be changed until it has space", "folder", folder, "err", err)
	}
}

// recover notes that something can be written to a folder.
func (w *Watch) recover(folder string) {
	w.mu.Lock()
	_, known := w.full[folder]
	delete(w.full, folder)
	last, took := known && len(w.full) == 0, time.Since(w.since)
	w.mu.Unlock()
	if last {
		w.log.Info("the disk has space again", "folder", folder, "full_for", took.Round(time.Second))
	}
}

func (w *Watch) isFull(folder string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, full := w.full[folder]
	return full
}

// Err returns an error if a disk is full.
func (w *Watch) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, folder := range w.folders {
		if err := w.full[folder]; err != nil {
			errs = append(errs, fmt.Errorf("the disk of %s is full: %w", folder, err))
		}
	}
	return errors.Join(errs...)
}

// Free returns how many bytes are free on the disk that has least, 0 if no folder is there.
func (w *Watch) Free() int64 {
	least := int64(math.MaxInt64)
	for _, folder := range w.folders {
		if free, err := Free(folder); err == nil {
			least = min(least, free)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// probe writes a small file to a folder and removes it.
func probe(folder string) error {
	f, err := os.CreateTemp(folder, ".space-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeSize))
	err = errors.Join(err, f.Close())
	if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
