package recfile

import (
	"errors"
	"fmt"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/spool"
)

// A Store holds the bytes of a recording in frames: in memory, or in a file. After a write to the file has
// failed it holds the rest in memory, so that the recording is whole; it then ends soon.
type Store struct {
	extent *spool.Extent // nil: all is in memory
	memory []byte        // what follows it
	err    error         // of the file
}

// NewStore returns a store with its bytes in a part of a file, or in memory if that is nil.
func NewStore(extent *spool.Extent) *Store { return &Store{extent: extent} }

// Write implements io.Writer. It does not fail.
func (s *Store) Write(b []byte) (int, error) {
	n := 0
	if s.extent != nil && s.err == nil {
		n, s.err = s.extent.Write(b)
	}
	s.memory = append(s.memory, b[n:]...)
	return len(b), nil
}

// Filed returns the number of bytes in the file.
func (s *Store) Filed() int64 {
	if s.extent == nil {
		return 0
	}
	return s.extent.Len()
}

// InMemory returns the number of bytes in memory.
func (s *Store) InMemory() int { return len(s.memory) }

// Len returns the number of bytes.
func (s *Store) Len() int64 { return s.Filed() + int64(len(s.memory)) }

// ReadAt implements io.ReaderAt.
func (s *Store) ReadAt(b []byte, at int64) (n int, err error) {
	filed := s.Filed()
	if at < filed {
		n, err = s.extent.ReadAt(b[:min(int64(len(b)), filed-at)], at)
		if err != nil || n == len(b) {
			return n, err
		}
	}
	rest := s.memory[min(at+int64(n)-filed, int64(len(s.memory))):]
	copied := copy(b[n:], rest)
	if n += copied; n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// Full reports whether the file has as many bytes as it may have.
func (s *Store) Full() bool { return errors.Is(s.err, spool.ErrFull) }

// Failure returns why nothing more can be written to the file.
func (s *Store) Failure() error {
	if s.err == nil {
		return nil
	}
	return fmt.Errorf("the file of the history cannot be written: %w", s.err)
}

// Release drops all bytes.
func (s *Store) Release() {
	if s.extent != nil {
		s.extent.Release()
	}
	s.memory = nil
}
