package spool_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/spool"
)

// Extents that are written in turns, and released, have their own bytes.
func TestExtents(t *testing.T) {
	const limit = 64 * spool.BlockSize
	f, err := spool.Create(filepath.Join(t.TempDir(), "new"), limit)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	extents, want := make([]*spool.Extent, 5), make([][]byte, 5)
	for n := range extents {
		extents[n] = f.NewExtent()
	}
	for range 400 {
		n := random.IntN(len(extents))
		if random.IntN(20) == 0 || len(want[n]) > 8*spool.BlockSize {
			extents[n].Release()
			want[n] = nil
			continue
		}
		b := make([]byte, random.IntN(2*spool.BlockSize))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		if wrote, err := extents[n].Write(b); wrote != len(b) || err != nil {
			t.Fatalf("%d of %d bytes: %v", wrote, len(b), err)
		}
		want[n] = append(want[n], b...)
	}
	used := 0
	for n, e := range extents {
		if err := iotest.TestReader(io.NewSectionReader(e, 0, e.Len()), want[n]); err != nil {
			t.Errorf("extent %d: %v", n, err)
		}
		used += e.Blocks()
	}
	if f.Bytes() != int64(used)*spool.BlockSize || f.Bytes() > limit {
		t.Errorf("%d bytes are used, and %d blocks", f.Bytes(), used)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// A file has no more bytes than its limit, and released ones are used again.
func TestLimit(t *testing.T) {
	memory := new(bounded)
	f := spool.New(memory, 4*spool.BlockSize+1)
	a, b := f.NewExtent(), f.NewExtent()
	if _, err := a.Write(make([]byte, 3*spool.BlockSize)); err != nil {
		t.Fatal(err)
	}
	n, err := b.Write(make([]byte, 2*spool.BlockSize))
	if n != spool.BlockSize || !errors.Is(err, spool.ErrFull) || b.Len() != spool.BlockSize {
		t.Errorf("%d bytes of %d, %v", n, b.Len(), err)
	}
	a.Release()
	if n, err := b.Write(make([]byte, 2*spool.BlockSize)); n != 2*spool.BlockSize || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if len(memory.b) > 4*spool.BlockSize {
		t.Errorf("the file has %d bytes", len(memory.b))
	}
}

// After a failed write an extent has what was written before it.
func TestWriteFails(t *testing.T) {
	full := errors.New("no space")
	f := spool.New(&bounded{most: 100, err: full}, 1<<20)
	e := f.NewExtent()
	want := bytes.Repeat([]byte("word"), 100)
	if n, err := e.Write(want); n != 100 || !errors.Is(err, full) {
		t.Fatalf("%d bytes, %v", n, err)
	}
	got := make([]byte, 101)
	if n, err := e.ReadAt(got, 0); n != 100 || !errors.Is(err, io.EOF) || !bytes.Equal(got[:n], want[:n]) {
		t.Errorf("%q, %v", got[:n], err)
	}
}

// Bytes that are missing in the file are an error.
func TestShortened(t *testing.T) {
	memory := new(bounded)
	e := spool.New(memory, 1<<20).NewExtent()
	if _, err := e.Write(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	memory.b = memory.b[:50]
	if n, err := e.ReadAt(make([]byte, 80), 0); n != 50 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// No file is left, and only its owner may open it by /proc.
func TestUnnamed(t *testing.T) {
	folder := t.TempDir()
	f, err := spool.Create(folder, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	named, err := spool.CreateNamed(folder)
	if err != nil {
		t.Skip(err) // not on every system can an open file be removed
	}
	defer func() { _ = named.Close() }()
	if info, err := named.Stat(); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// A folder in which no file can be created is named.
func TestFileFolder(t *testing.T) {
	path := t.TempDir() + "/file"
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := spool.Create(path, 1<<20); err == nil || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
}

// bounded is memory that fails when it has as many bytes as it may have.
type bounded struct {
	b    []byte
	most int // 0: no limit
	err  error
}

func (m *bounded) WriteAt(b []byte, at int64) (int, error) {
	var err error
	if left := m.most - int(at); m.most > 0 && len(b) > left {
		b, err = b[:left], m.err
	}
	if n := int(at) + len(b); n > len(m.b) {
		m.b = append(m.b, make([]byte, n-len(m.b))...)
	}
	return copy(m.b[at:], b), err
}

func (m *bounded) ReadAt(b []byte, at int64) (int, error) { return bytes.NewReader(m.b).ReadAt(b, at) }

func (m *bounded) Close() error { return nil }
