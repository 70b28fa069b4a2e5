package disktest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A VolatileDisk is a disk with a file system, ext4, and a write cache that a power
// cut empties: what was written since the last flush is there or not, sector by
// sector. The kernel writes and flushes it through a loop device on a file that the
// test itself serves (FUSE).
type VolatileDisk struct {
	mu      sync.Mutex
	now     []byte // what reads find
	durable []byte // what is there whatever happens
	pending []write
	flushes int
}

// A write is one that no flush has followed yet.
type write struct {
	at   int64
	data []byte
}

const sectorSize = 512

// FormatVolatile puts a new disk in place of what dir has until the test ends, or skips
// where that is not allowed. Processes that use it must end before.
func FormatVolatile(t testing.TB, dir string) *VolatileDisk {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	if err := format(t.Context(), image, nil); err != nil {
		t.Skipf("a disk cannot be made: %v", err)
	}
	data, err := os.ReadFile(image)
	if err != nil {
		t.Fatal(err)
	}
	d := &VolatileDisk{now: data, durable: append([]byte(nil), data...)}
	file := d.serve(t)
	if err := attach(t.Context(), file, dir); err != nil {
		t.Skipf("a disk that the test serves cannot be mounted: %v", err)
	}
	t.Cleanup(func() { detach(t, dir) })
	return d
}

// PowerCut calls look while dir has what a power cut at this moment may leave of the
// disk. The disk itself goes on, also while look runs.
func (d *VolatileDisk) PowerCut(t testing.TB, r *rand.Rand, dir string, look func()) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "left")
	if err := os.WriteFile(image, d.cut(r), 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(image) }() // goes with the folder at the latest
	if err := attach(t.Context(), image, dir); err != nil {
		t.Fatalf("after a power cut: %v", err)
	}
	defer detach(t, dir)
	look()
}

// cut returns the durable bytes with any of the sectors written since.
func (d *VolatileDisk) cut(r *rand.Rand) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := append([]byte(nil), d.durable...)
	for _, w := range d.pending {
		for from := 0; from < len(w.data); from += sectorSize {
			if r.IntN(2) == 0 {
				copy(left[w.at+int64(from):], w.data[from:min(from+sectorSize, len(w.data))])
			}
		}
	}
	return left
}

// Flushes returns the number of flushes that the disk was asked for.
func (d *VolatileDisk) Flushes() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.flushes
}

func (d *VolatileDisk) read(to []byte, at int64) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at >= int64(len(d.now)) {
		return 0
	}
	return copy(to, d.now[at:])
}

// write reports whether the bytes fit.
func (d *VolatileDisk) write(data []byte, at int64) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at+int64(len(data)) > int64(len(d.now)) {
		return false
	}
	copy(d.now[at:], data)
	d.pending = append(d.pending, write{at, append([]byte(nil), data...)})
	return true
}

func (d *VolatileDisk) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.pending {
		copy(d.durable[w.at:], w.data)
	}
	d.pending = nil
	d.flushes++
}
