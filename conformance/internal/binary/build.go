package binary

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

// Build returns the path of the program, built from the sources that the working directory is
// in. The file is in the user's cache, in a folder for each
// checkout. Processes that build at the same time wait for each other.
var Build = sync.OnceValues(func() (path string, err error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir, err := Folder(root)
	if err != nil {
		return "", err
	}
	lock := flock.New(filepath.Join(dir, ".lock"))
	if err := lock.Lock(); err != nil {
		return "", fmt.Errorf("locking the folder of the program: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	path = filepath.Join(dir, "triptych")
	build := exec.Command("go", "build", "-o", path, "./cmd/triptych") // it ends
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// moduleRoot returns the closest folder above with the program.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for the sources: %w", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "triptych")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("looking for the sources: cmd/triptych: %w", fs.ErrNotExist)
		}
	}
}

// Folder makes the folder, in the user's cache, for what tests keep of the folder root.
func Folder(root string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder in the cache: %w", err)
	}
	sum := sha256.Sum256([]byte(root))
	dir := filepath.Join(cache, "triptych-test", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("no folder in the cache: %w", err)
	}
	return dir, nil
}
