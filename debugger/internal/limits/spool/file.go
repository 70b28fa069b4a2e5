package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// BlockSize is the size of a block. The list of the blocks of an Extent takes a 4096th of
// the Extent's bytes in memory.
const BlockSize = 1 << 14

// ErrFull is returned when all blocks that a File may have are used.
var ErrFull = errors.New("the file has as many bytes as it may have")

// A Storage has the bytes of a File.
type Storage interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// A File is a file without a name.
type File struct {
	storage Storage
	most    uint32   // number of blocks that it may have
	count   uint32   // of blocks that it has, used or not
	free    []uint32 // those that are not used
}

// Create creates a file in a folder, and the folder if it does not exist. The file has at
// most limit bytes, or as many as the process may write to a file.
func Create(folder string, limit int64) (*File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	file, err := createUnnamed(folder)
	if err != nil {
		return nil, err
	}
	return New(file, min(limit, sizeLimit())), nil
}

// New returns a File with at most limit bytes in a storage, which it closes.
func New(s Storage, limit int64) *File {
	return &File{storage: s, most: uint32(min(max(limit/BlockSize, 0), 1<<32-1))}
}

// createNamed creates a file and removes its name.
func createNamed(folder string) (*os.File, error) {
	file, err := os.CreateTemp(folder, "history-") // mode 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Close closes the file, which ends to exist.
func (f *File) Close() error { return f.storage.Close() }

// Bytes returns the size of the blocks that Extents have.
func (f *File) Bytes() int64 { return int64(int(f.count)-len(f.free)) * BlockSize }

// take returns a block that is not used.
func (f *File) take() (uint32, error) {
	if n := len(f.free); n > 0 {
		block := f.free[n-1]
		f.free = f.free[:n-1]
		return block, nil
	}
	if f.count == f.most {
		return 0, ErrFull
	}
	f.count++
	return f.count - 1, nil
}

// NewExtent returns an Extent without bytes.
func (f *File) NewExtent() *Extent { return &Extent{file: f} }

// An Extent is a sequence of bytes in a File.
type Extent struct {
	file   *File
	blocks []uint32
	size   int64
}

// Len returns the number of bytes.
func (e *Extent) Len() int64 { return e.size }

// Blocks returns the number of blocks.
func (e *Extent) Blocks() int { return len(e.blocks) }

// Write implements io.Writer: it appends bytes. After an error the Extent has those that
// were written before it.
func (e *Extent) Write(b []byte) (n int, err error) {
	for n < len(b) {
		in := e.size % BlockSize
		if in == 0 && e.size/BlockSize == int64(len(e.blocks)) {
			block, err := e.file.take()
			if err != nil {
				return n, err
			}
			e.blocks = append(e.blocks, block)
		}
		part := b[n:min(len(b), n+int(BlockSize-in))]
		wrote, err := e.file.storage.WriteAt(part, e.offset(e.size))
		n, e.size = n+wrote, e.size+int64(wrote)
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// offset returns where a byte is in the file.
func (e *Extent) offset(at int64) int64 {
	return int64(e.blocks[at/BlockSize])*BlockSize + at%BlockSize
}

// ReadAt implements io.ReaderAt.
func (e *Extent) ReadAt(b []byte, at int64) (n int, err error) {
	if at < 0 {
		return 0, fmt.Errorf("read at %d", at)
	}
	for n < len(b) && at < e.size {
		part := b[n:min(int64(len(b)), int64(n)+min(BlockSize-at%BlockSize, e.size-at))]
		read, err := e.file.storage.ReadAt(part, e.offset(at))
		n, at = n+read, at+int64(read)
		if read < len(part) {
			return n, errors.Join(err, io.ErrUnexpectedEOF) // another one has made the file shorter
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Release lets others use the blocks. The Extent has no bytes then.
func (e *Extent) Release() {
	e.file.free = append(e.file.free, e.blocks...)
	e.blocks, e.size = nil, 0
}
