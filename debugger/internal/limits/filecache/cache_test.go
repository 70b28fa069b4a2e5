package filecache_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
)

func open(t *testing.T, folder string, size int64) *filecache.Cache {
	t.Helper()
	c, err := filecache.Open(folder, size)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func put(t *testing.T, c *filecache.Cache, key, value string) {
	t.Helper()
	if err := c.Put(key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// files returns the paths of the files of a folder.
func files(t *testing.T, folder string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A value is found in another run, and the last one of a key counts.
func TestGet(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "folder")
	c := open(t, folder, 1<<20)
	put(t, c, "key", "old")
	put(t, c, "key", "new")
	put(t, c, "empty", "")
	later := open(t, folder, 1<<20)
	for key, want := range map[string]string{"key": "new", "empty": ""} {
		if got, ok := later.Get(key); !ok || string(got) != want {
			t.Errorf("%s has %q, %v, want %q", key, got, ok, want)
		}
	}
	if got, ok := later.Get("other"); ok {
		t.Errorf("a key that was not stored has %q", got)
	}
}

// A file that is damaged or cut, or is that of another key, counts as missing, and is replaced.
func TestDamaged(t *testing.T) {
	folder := t.TempDir()
	c := open(t, folder, 1<<20)
	put(t, c, "key", "a value of some length")
	path := files(t, folder)[0]
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(whole)
	changed[len(changed)-1] ^= 1
	for _, data := range [][]byte{changed, whole[:len(whole)-1], whole[:10], nil, append(bytes.Clone(whole), 0)} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.Get("key"); ok {
			t.Errorf("the value of a file of %d bytes is %q", len(data), got)
		}
	}
	put(t, c, "key", "again")
	if got, ok := c.Get("key"); !ok || string(got) != "again" {
		t.Errorf("the value is %q, %v", got, ok)
	}
	put(t, c, "other", "its value")
	for _, other := range files(t, folder) {
		if other == path {
			continue
		}
		if err := os.Rename(other, path); err != nil {
			t.Fatal(err)
		}
	}
	if got, ok := c.Get("key"); ok {
		t.Errorf("the value of another key is %q", got)
	}
}

// The values that were used last stay if there is not room for all.
func TestLimit(t *testing.T) {
	folder := t.TempDir()
	const size = 1000
	c := open(t, folder, 3*(size+100))
	value := strings.Repeat("x", size)
	begin := time.Now().Add(-time.Hour)
	for n, key := range []string{"first", "second", "third"} {
		before := files(t, folder)
		put(t, c, key, value)
		for _, path := range files(t, folder) {
			if strings.Contains(strings.Join(before, "\n"), path) {
				continue
			}
			at := begin.Add(time.Duration(n) * time.Minute)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, ok := c.Get("first"); !ok {
		t.Fatal("there is not room for three values")
	}
	put(t, c, "fourth", value)
	for key, want := range map[string]bool{"first": true, "second": false, "third": true, "fourth": true} {
		if _, ok := c.Get(key); ok != want {
			t.Errorf("%s is there: %v, want %v", key, ok, want)
		}
	}
	if err := c.Put("huge", []byte(strings.Repeat(value, 4))); err != nil {
		t.Error(err)
	}
	if n := len(files(t, folder)); n > 3 {
		t.Errorf("there are %d files", n)
	}
}

// A folder that others may write is not used.
func TestOthersMayWrite(t *testing.T) {
	folder := t.TempDir()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o777 {
		t.Skip("the system has no such permissions")
	}
	if c, err := filecache.Open(folder, 1<<20); err == nil {
		_ = c.Close()
		t.Error("it was opened")
	}
}

// Several programs may store values of one key at the same time: one of them is found.
func TestConcurrent(t *testing.T) {
	folder := t.TempDir()
	var wg sync.WaitGroup
	for n := range 8 {
		c := open(t, folder, 1<<20)
		wg.Go(func() {
			value := bytes.Repeat([]byte{byte(n)}, 10_000)
			for range 20 {
				if err := c.Put("key", value); err != nil {
					t.Error(err)
				}
				got, ok := c.Get("key")
				if !ok || len(got) != len(value) || bytes.Count(got, got[:1]) != len(got) {
					t.Errorf("%d bytes, %v", len(got), ok)
				}
			}
		})
	}
	wg.Wait()
	if n := len(files(t, folder)); n != 1 {
		t.Errorf("%d files are left", n)
	}
}
