package ptrace

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A mapping of which two pages are in memory has these, whether the kernel is asked by
// PAGEMAP_SCAN or the entries are read, and however much address space it has.
func TestPresent(t *testing.T) {
	const size = 8 << 40
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Skipf("no address space: %v", err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	_ = unix.Madvise(memory, unix.MADV_NOHUGEPAGE) // a huge page would be more than one
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	memory[3*pageSize], memory[1<<30] = 1, 1
	want := []Range{{start + 3*pageSize, start + 4*pageSize}, {start + 1<<30, start + 1<<30 + pageSize}}
	mapping := Range{start, start + size}
	for _, entries := range []bool{false, true} {
		p, err := OpenPageMap(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		p.entries = entries
		began := time.Now()
		if got, err := p.Present(t.Context(), mapping); err != nil || !slices.Equal(got, want) {
			t.Errorf("entries %v: %x, %v, want %x", entries, got, err, want)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("entries %v: it took %v", entries, took)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Present(ended, mapping); !errors.Is(err, context.Canceled) {
			t.Errorf("entries %v: the error of a request that has ended is %v", entries, err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Of a private mapping of a file, only the page that was written is the process's own, and not those
// that were read, or not even that.
func TestOwn(t *testing.T) {
	const size = 16 * pageSize
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err == nil {
		_, err = file.Write(bytes.Repeat([]byte("page"), size/4))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	memory, err := unix.Mmap(int(file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(memory) }()
	start := uint64(uintptr(unsafe.Pointer(&memory[0])))
	memory[5*pageSize] = memory[2*pageSize]
	want := []Range{{start + 5*pageSize, start + 6*pageSize}}
	for _, entries := range []bool{false, true} {
		p, err := OpenPageMap(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		p.entries = entries
		if got, err := p.Own(t.Context(), Range{start, start + size}); err != nil || !slices.Equal(got, want) {
			t.Errorf("entries %v: %x, %v, want %x", entries, got, err, want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
