package keyfile_test

import (
	"crypto/ed25519"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/triptych-mcp/triptych/transport/audit/internal/keyfile"
)

// Of goroutines that make the key of a folder at once, all get the same key, and the public
// key on disk is its other half.
func TestLoadAtOnce(t *testing.T) {
	dir := t.TempDir()
	var keys [8]ed25519.PrivateKey
	var wg sync.WaitGroup
	for i := range keys {
		wg.Go(func() {
			var err error
			if keys[i], err = keyfile.Load(dir); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	public, err := keyfile.ReadPublic(filepath.Join(dir, keyfile.PublicName))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if !public.Equal(key.Public()) {
			t.Errorf("a key has the public key %x, want %x", key.Public(), public)
		}
	}
}

// A folder without the file of the public key has a public key all the same, until it has no
// private key either.
func TestPublicIsDerived(t *testing.T) {
	dir := t.TempDir()
	key, err := keyfile.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	remove := func(name string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	remove(keyfile.PublicName)
	if public, err := keyfile.Public(dir); err != nil || !public.Equal(key.Public()) {
		t.Errorf("Public returned %x, %v; want %x", public, err, key.Public())
	}
	remove(keyfile.PrivateName)
	if _, err := keyfile.Public(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Public of an empty folder returned %v, want an error that wraps fs.ErrNotExist", err)
	}
}
