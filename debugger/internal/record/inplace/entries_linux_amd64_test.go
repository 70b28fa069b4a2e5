package inplace_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// learn runs ls with entries of earlier runs, saves them, and returns its output, and how many were new.
func learn(t *testing.T, cache *filecache.Cache) (output []byte, added int) {
	t.Helper()
	entries := inplace.NewEntries(cache)
	output = launch(t, []string{"ls", "/"}, func(g *guest) {
		g.Learn(entries)
		g.finish(t.Context(), 1<<20)
		if g.status != 0 {
			panic(failuref("the status is %d", g.status))
		}
	})
	added = entries.Added()
	if err := entries.Save(); err != nil {
		t.Error(err)
	}
	return output, added
}

func openCache(t *testing.T) *filecache.Cache {
	t.Helper()
	cache, err := filecache.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cache.Close() })
	return cache
}

// A program that runs again comes to hardly any code that is not known, and does the same.
func TestEntries(t *testing.T) {
	cache := openCache(t)
	want, first := learn(t, cache)
	added := first
	for range 5 {
		var got []byte
		if got, added = learn(t, cache); !bytes.Equal(got, want) {
			t.Fatalf("it has written %q, want %q", got, want)
		}
	}
	if first == 0 || added > first/4 {
		t.Errorf("%d entries were new in the first run, %d in the last one", first, added)
	}
}

// Wrong entries do no harm: a program does the same, wherever in its files they are.
func TestWrongEntries(t *testing.T) {
	path, err := exec.LookPath("ls")
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		t.Skip("the test needs ls")
	}
	cache := openCache(t)
	want, _ := learn(t, cache)
	random := rand.New(rand.NewPCG(1, 2))
	var offsets, large []byte
	last := int64(0)
	for range 20_000 {
		at := random.Int64N(300_000)
		offsets = binary.AppendVarint(offsets, at-last)
		last = at
	}
	for _, value := range []int64{1 << 62, -1 << 62, 1<<63 - 1, -1 << 63} {
		large = binary.AppendVarint(large, value)
	}
	for _, data := range [][]byte{offsets, large, slices.Repeat([]byte{0xff}, 100), {}} {
		if err := cache.Put(inplace.EntriesKey(cache, path), data); err != nil {
			t.Fatal(err)
		}
		if got, _ := learn(t, cache); !bytes.Equal(got, want) {
			t.Errorf("it has written %q, want %q", got, want)
		}
	}
}
