package recording

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/filecache"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// The digest of a file comes from an earlier recording only if the file has not changed since then.
func TestKnownDigest(t *testing.T) {
	cache, err := filecache.Open(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cache.Close() }()
	path := filepath.Join(t.TempDir(), "file")
	digest := func(files files) [recfile.DigestSize]byte {
		t.Helper()
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = file.Close() }()
		sum, err := files.digest(file)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	known := files{before: cache}
	for _, text := range []string{"first", "other", "third"} { // of one size, and too new to be kept
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, files := range []files{known, {}} {
			if got := digest(files); got != sha256.Sum256([]byte(text)) {
				t.Errorf("the digest of %q is %x", text, got)
			}
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	name, _ := filestamp.Of(info).AppendBinary([]byte("digest "))
	if _, ok := cache.Get(string(name)); ok {
		t.Error("the digest of a file was kept that may still change in the same tick of the clock")
	}
	kept := bytes.Repeat([]byte{7}, recfile.DigestSize)
	if err := cache.Put(string(name), kept); err != nil {
		t.Fatal(err)
	}
	if got := digest(known); got != [recfile.DigestSize]byte(kept) {
		t.Errorf("the digest is %x, want the one that was kept", got)
	}
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if got := digest(known); got != sha256.Sum256([]byte("third")) {
		t.Errorf("the digest of a file that was touched is %x", got)
	}
}
