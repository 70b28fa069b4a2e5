package wholefile_test

import (
	"bytes"
	"encoding/binary"
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

// A list of who else may read, once taken away, does not come back.
func TestSwapBringsNoAccessBack(t *testing.T) {
	s := newSwapper(t, t.TempDir())
	s.swap()
	if err := os.Chmod(s.path, 0o640); err != nil {
		t.Fatal(err)
	}
	s.swap()
	const list = "system.posix_acl_access"
	var acl []byte // acl(5): version 2, then tag, permissions and id of each entry
	acl = binary.LittleEndian.AppendUint32(acl, 2)
	for _, e := range []struct {
		tag, permissions uint16
		id               uint32
	}{{0x01, 6, ^uint32(0)}, {0x02, 4, 65534}, {0x04, 0, ^uint32(0)}, {0x10, 4, ^uint32(0)}, {0x20, 0, ^uint32(0)}} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.permissions)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	if err := unix.Setxattr(s.path, list, acl, 0); err != nil {
		t.Skip("no lists here: ", err)
	}
	for range 4 {
		s.swap()
		if _, err := unix.Getxattr(s.path, list, nil); !errors.Is(err, unix.ENODATA) {
			t.Fatalf("the list is back: %v", err)
		}
	}
}
