package recording

import (
	"errors"
	"fmt"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/spool"
)

// A store holds the bytes of a [Part]: in memory, or in a file. After a write to the file has
// failed it holds the rest in memory, so that the recording is whole; it then ends soon.
type store struct {
	extent *spool.Extent // nil: all is in memory
	memory []byte        // what follows it
	err    error         // of the file
}

// newStore returns a store with its bytes in a part of a file, or in memory if that is nil.
func newStore(extent *spool.Extent) *store { return &store{extent: extent} }

// Write implements io.Writer. It does not fail.
func (s *store) Write(b []byte) (int, error) {
	n := 0
	if s.extent != nil && s.err == nil {
		n, s.err = s.extent.Write(b)
	}
	s.memory = append(s.memory, b[n:]...)
	return len(b), nil
}

// filed returns the number of bytes in the file.
func (s *store) filed() int64 {
	if s.extent == nil {
		return 0
	}
	return s.extent.Len()
}

// inMemory returns the number of bytes in memory.
func (s *store) inMemory() int { return len(s.memory) }

// Len returns the number of bytes.
func (s *store) Len() int64 { return s.filed() + int64(len(s.memory)) }

// ReadAt implements io.ReaderAt.
func (s *store) ReadAt(b []byte, at int64) (n int, err error) {
	filed := s.filed()
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

// full reports whether the file has as many bytes as it may have.
func (s *store) full() bool { return errors.Is(s.err, spool.ErrFull) }

// failure returns why nothing more can be written to the file.
func (s *store) failure() error {
	if s.err == nil {
		return nil
	}
	return fmt.Errorf("the file of the history cannot be written: %w", s.err)
}

// release drops all bytes.
func (s *store) release() {
	if s.extent != nil {
		s.extent.Release()
	}
	s.memory = nil
}
