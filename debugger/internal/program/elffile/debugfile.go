package elffile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// FindDebugFile returns the separate file with the debug information, found by
// build id or by the name in .gnu_debuglink; nil when there is none. open opens a
// file, and returns nil when it cannot be read.
func (o *File) FindDebugFile(path string, dirs []string, open func(path string) *File) *File {
	id := o.BuildID()
	for _, dir := range dirs {
		if len(id) < 2 {
			break
		}
		name := fmt.Sprintf("%x/%x.debug", id[:1], id[1:])
		if d := open(filepath.Join(dir, ".build-id", name)); d != nil {
			if string(d.BuildID()) == string(id) {
				return d
			}
			_ = d.Close() // opened for reading only
		}
	}
	return o.linkedDebugFile(path, dirs, open)
}

// DebugDirs are the folders with separate debug files of a system.
var DebugDirs = []string{"/usr/lib/debug"}

// DebugPath returns the path of the separate file with the debug information of the file at a path,
// "" if there is none.
func DebugPath(path string, dirs []string) (found string) {
	o := OpenPath(path)
	if o == nil {
		return ""
	}
	d := o.FindDebugFile(path, dirs, func(name string) *File {
		found = name
		return OpenPath(name)
	})
	_ = o.Close() // it was only read
	if d == nil {
		return ""
	}
	_ = d.Close() // likewise
	return found
}

// linkedDebugFile returns the file that .gnu_debuglink names, if its checksum
// is right.
func (o *File) linkedDebugFile(path string, dirs []string, open func(path string) *File) *File {
	link := o.small(".gnu_debuglink")
	i := strings.IndexByte(string(link), 0)
	if i <= 0 || len(link) < int(align4(uint32(i+1)))+4 {
		return nil
	}
	name := string(link[:i])
	if name != filepath.Base(name) {
		return nil
	}
	sum := binary.LittleEndian.Uint32(link[align4(uint32(i+1)):])
	dir := filepath.Dir(path)
	candidates := []string{filepath.Join(dir, name), filepath.Join(dir, ".debug", name)}
	for _, d := range dirs {
		candidates = append(candidates, filepath.Join(d, dir, name))
	}
	for _, c := range candidates {
		if c == path {
			continue
		}
		if d := open(c); d != nil {
			if d.checksum() == sum {
				return d
			}
			_ = d.Close() // it was only read
		}
	}
	return nil
}

// checksum returns the CRC-32 of a file, 0 when it cannot be read.
func (o *File) checksum() uint32 {
	h := crc32.NewIEEE()
	if _, err := io.Copy(h, io.NewSectionReader(o.r, 0, math.MaxInt64)); err != nil {
		return 0
	}
	return h.Sum32()
}

// OpenPath opens an ELF file, nil when it cannot be read.
func OpenPath(path string) *File {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	o, err := Open(f, f)
	if err != nil {
		_ = f.Close() // opened for reading only
		return nil
	}
	return o
}
