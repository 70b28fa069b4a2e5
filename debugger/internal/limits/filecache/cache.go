package filecache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"
)

// A Cache is a folder of values. It may be used from several goroutines at once.
type Cache struct {
	root *os.Root
	size int64 // of all files
}

// othersWrite are the permissions to write of all but the owner.
const othersWrite = 0o022

// Open opens a folder, and creates it if it does not exist. The files in it have size bytes at most.
func Open(folder string, size int64) (*Cache, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(".")
	if err == nil && (!owned(info) || info.Mode().Perm()&othersWrite != 0) {
		err = fmt.Errorf("others may write the folder %s", folder)
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &Cache{root, size}, nil
}

// Close releases the folder.
func (c *Cache) Close() error { return c.root.Close() }

// sum is the checksum of a value, and the start of its file.
type sum [sha256.Size]byte

func sumOf(key string, value []byte) sum {
	hash := sha256.New()
	_, _ = hash.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(key))))
	_, _ = io.WriteString(hash, key)
	_, _ = hash.Write(value)
	return sum(hash.Sum(nil))
}

// nameOf returns the name of the file of a key.
func nameOf(key string) string {
	const length = 16
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:length])
}

// Get returns the value of a key. It returns false if there is none, or if it cannot be read.
func (c *Cache) Get(key string) ([]byte, bool) {
	name := nameOf(key)
	data, err := c.read(name)
	if err != nil || len(data) < len(sum{}) {
		return nil, false
	}
	value := data[len(sum{}):]
	if sumOf(key, value) != sum(data[:len(sum{})]) {
		return nil, false
	}
	now := time.Now()
	_ = c.root.Chtimes(name, now, now) // it is removed earlier otherwise
	return value, true
}

func (c *Cache) read(name string) ([]byte, error) {
	f, err := c.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, c.size))
}

// Put stores the value of a key. It is lost if the error is not nil.
func (c *Cache) Put(key string, value []byte) error {
	name := nameOf(key)
	check := sumOf(key, value)
	temporary := name + "." + rand.Text()
	err := c.root.WriteFile(temporary, slices.Concat(check[:], value), 0o600)
	if err == nil {
		err = c.root.Rename(temporary, name)
	}
	if err != nil {
		_ = c.root.Remove(temporary)
		return err
	}
	return c.trim()
}

// trim removes the files that were used the longest time ago until those left have the size.
func (c *Cache) trim() error {
	entries, err := fs.ReadDir(c.root.FS(), ".")
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	left := c.size
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
			left -= info.Size()
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range files {
		if left >= 0 {
			break
		}
		if c.root.Remove(info.Name()) == nil { // another program may have done it
			left += info.Size()
		}
	}
	return nil
}
