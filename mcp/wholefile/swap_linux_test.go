package wholefile_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// mapped maps the file of a swapper, and closes it.
func mapped(t *testing.T, s *swapper) func() ([]byte, error) {
	f, err := os.Open(s.path)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := unix.Mmap(int(f.Fd()), 0, len(text(s.lastNumber)), unix.PROT_READ, unix.MAP_SHARED)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return func() ([]byte, error) { return bytes.Clone(memory), unix.Munmap(memory) }
}

func pipe(s *swapper) error { return unix.Mkfifo(s.spare, 0o600) }

// The spare does take turns with the file where that is known to be cheaper, also
// after somebody had it open.
func TestSwapUsesTheSpare(t *testing.T) {
	s := newSwapper(t, t.TempDir())
	var at unix.Statfs_t
	if err := unix.Statfs(s.dir, &at); err != nil {
		t.Fatal(err)
	}
	if at.Type != unix.EXT4_SUPER_MAGIC && at.Type != unix.XFS_SUPER_MAGIC {
		t.Skipf("files of a file system of type %x are written anew", at.Type)
	}
	s.swap()
	s.swap() // the first spare
	for i := range 6 {
		if i == 3 {
			unmap := mapped(t, s)
			s.swap() // takes the spare from before
			s.swap() // the spare is mapped: a new file
			if _, err := unmap(); err != nil {
				t.Fatal(err)
			}
		}
		before, err := os.Stat(s.spare)
		if err != nil {
			t.Fatal(err)
		}
		s.swap()
		if after, err := os.Stat(s.path); err != nil || !os.SameFile(before, after) {
			t.Errorf("swap %d wrote a new file, %v", i, err)
		}
	}
}

// What was read without being copied stays as it was, too.
func TestSwapLeavesPipesAlone(t *testing.T) {
	s := newSwapper(t, t.TempDir())
	for range 10 {
		s.swap()
		s.swap()
		before := s.lastNumber
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(s.path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = unix.Splice(int(f.Fd()), nil, int(w.Fd()), nil, 1<<16, 0)
		if err := errors.Join(err, f.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
		s.swap()
		s.swap()
		s.swap()
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || number(data) != before {
			t.Fatalf("text %d became %.20q, %v", before, data, err)
		}
	}
}
