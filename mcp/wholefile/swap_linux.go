package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// exchange puts data into the spare and on disk, and then has the two files change
// names, which is one step. Not to be done means that the file is as it was, and
// that the spare may be anything.
func exchange(path, spare string, data []byte) (done bool, err error) {
	if prepare(path, spare, data) != nil || exchangeNames(path, spare) != nil {
		return false, nil //nolint:nilerr // Write is done instead, and tells what is the matter
	}
	if err := SyncDir(filepath.Dir(path)); err != nil {
		return true, err
	}
	_ = os.Chtimes(spare, settled, settled) // else the next time takes a sync more
	return true, nil
}

func exchangeNames(path, spare string) error {
	return unix.Renameat2(unix.AT_FDCWD, spare, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE)
}

// prepare makes data the text of the spare, on disk.
func prepare(path, spare string, data []byte) error {
	f, err := claim(path, spare)
	if err != nil {
		return err
	}
	if err = settle(f); err == nil {
		err = overwrite(f, data)
	}
	return errors.Join(err, f.Close()) // the lease ends with the file
}

// settled is when a spare was changed last, if it is known that no name on disk
// but its own leads to it. To write sets another time.
var settled = time.Unix(0, 0)

// settle makes sure of that: who exchanged the names may have been killed before
// they were on disk, where the file's name then still leads to the spare.
func settle(spare *os.File) error {
	info, err := spare.Stat()
	if err != nil || info.ModTime().Equal(settled) {
		return err
	}
	return SyncDir(filepath.Dir(spare.Name()))
}

var errNotAlone = errors.New("others may see the spare")

// claim opens a spare that nobody else has: neither by another name, nor open or
// mapped, from when it had the file's name. The last is what the kernel grants
// a lease for, and it has who opens the file meanwhile wait for the lease's end.
func claim(path, spare string) (*os.File, error) {
	f, err := os.OpenFile(spare, os.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if !fits(f, path) || hasList(f) {
		return nil, errors.Join(errNotAlone, f.Close())
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// fits reports whether the spare may take the file's place: with one name, of the
// same owner, group and permissions, and not that very file, which a crash may
// have given two names.
func fits(f *os.File, path string) bool {
	var spare, file unix.Stat_t
	if unix.Fstat(int(f.Fd()), &spare) != nil || unix.Lstat(path, &file) != nil {
		return false
	}
	return spare.Mode == file.Mode && spare.Mode&unix.S_IFMT == unix.S_IFREG && spare.Nlink == 1 &&
		spare.Uid == file.Uid && spare.Gid == file.Gid && spare.Ino != file.Ino && isKnown(path)
}

// hasList reports whether others are given access to the file by a list (acl(5)).
// The file may have got another list since the spare had its name, or none.
func hasList(f *os.File) bool {
	_, err := unix.Fgetxattr(int(f.Fd()), "system.posix_acl_access", nil)
	return !errors.Is(err, unix.ENODATA) && !errors.Is(err, unix.ENOTSUP)
}

// isKnown reports whether the file is on a file system where a spare is known to
// cost less, and that no other machine has, whose readers the kernel would not
// see.
func isKnown(path string) bool {
	var at unix.Statfs_t
	if unix.Statfs(filepath.Dir(path), &at) != nil {
		return false
	}
	switch uint32(at.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC:
		return true
	}
	return false
}

// overwrite makes data all that a file has, and puts it on disk. The file's times
// may come later: they are nothing that reading needs.
func overwrite(f *os.File, data []byte) error {
	if err := disown(f); err != nil {
		return err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		return err
	}
	return SyncData(f)
}

// disown has the file do without the memory that its text is in, and keep the
// blocks. Who has closed the file may still have that memory in a pipe or on its
// way to a socket (splice, sendfile), which no lease tells.
func disown(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	page := int64(os.Getpagesize())
	whole := (info.Size() + page - 1) / page * page
	return again(func() error {
		return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_ZERO_RANGE|unix.FALLOC_FL_KEEP_SIZE, 0, whole)
	})
}

// keep has the text that goes be the spare of the next time. Where it cannot, the
// next time is as this one.
func keep(path, spare string) {
	if !isKnown(path) {
		return
	}
	if err := os.Link(path, spare); errors.Is(err, fs.ErrExist) {
		_ = errors.Join(os.Remove(spare), os.Link(path, spare))
	}
}
