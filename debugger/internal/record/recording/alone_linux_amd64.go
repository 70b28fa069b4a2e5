package recording

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// checkAlone ends the recording unless only the program can write a file: it has opened the
// file for writing once, and no other process has that open file or another one.
func (s *sharedFiles) checkAlone(f *sharedFile) error {
	descriptor, writers := -1, 0
	err := s.eachDescriptor(func(found *sharedFile, fd int, flags uint64) error {
		if found == f && flags&unix.O_ACCMODE == unix.O_RDWR {
			descriptor = fd
			writers++
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case writers == 0:
		return cutError("others may write a file that the program has mapped and may write, and has closed: " + f.path)
	}
	if err := s.watchOpens(descriptorPath(s.run.Thread(), descriptor)); err != nil {
		return err
	}
	if err := s.checkWriters(f, descriptor); err != nil {
		return err
	}
	pid, err := s.holder(f)
	if err == nil && pid != 0 {
		err = cutError(fmt.Sprintf("process %d has a file that the program maps and may write: %s", pid, f.path))
	}
	return err
}

// eachDescriptor calls a function with the mapped files of the descriptors of the program, and
// their flags, up to an error.
func (s *sharedFiles) eachDescriptor(visit func(f *sharedFile, fd int, flags uint64) error) error {
	folder := fmt.Sprintf("/proc/%d/fd", s.run.Thread())
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, _, err := identify(filepath.Join(folder, e.Name()))
		if err != nil {
			continue
		}
		f := s.find(id)
		if f == nil {
			continue
		}
		flags, err := descriptorFlags(s.run.Thread(), e.Name())
		fd, err2 := strconv.Atoi(e.Name())
		if err = errors.Join(err, err2); err == nil {
			err = visit(f, fd, flags)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// descriptorFlags returns the flags of a descriptor.
func descriptorFlags(pid int, descriptor string) (uint64, error) {
	_, flags, err := descriptorInfo(pid, descriptor)
	return flags, err
}

// local lists the types of file systems, see statfs(2), that no other machine writes.
var local = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
	unix.OVERLAYFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true, unix.RAMFS_MAGIC: true,
}

// checkWriters ends the recording unless a descriptor is the only open file that can write the
// file. The kernel gives a write lease on no other condition, see fcntl(2). The lease is given
// back at once.
func (s *sharedFiles) checkWriters(f *sharedFile, descriptor int) (err error) {
	var system unix.Statfs_t
	if err := unix.Statfs(descriptorPath(s.run.Thread(), descriptor), &system); err != nil {
		return err
	}
	if !local[system.Type] {
		return cutError("the program may write a mapped file of a file system that others may write: " + f.path)
	}
	syscall.ForkLock.RLock() // no child of this program gets the descriptor, which holder would find
	defer syscall.ForkLock.RUnlock()
	fd, err := copyDescriptor(s.pid, descriptor)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	lease := func(command, argument int) (int, error) { return unix.FcntlInt(uintptr(fd), command, argument) }
	if has, err := lease(unix.F_GETLEASE, 0); err != nil || has != unix.F_UNLCK {
		return cutError("the program has a lease of a file that it maps and may write: " + f.path)
	}
	switch _, err := lease(unix.F_SETLEASE, unix.F_WRLCK); {
	case errors.Is(err, unix.EAGAIN):
		return cutError("a file that the program maps and may write is opened for writing twice: " + f.path)
	case err != nil:
		return cutError(fmt.Sprintf("it is unknown who may write a file that the program maps and may write: %s: lease: %v", f.path, err))
	}
	_, err = lease(unix.F_SETLEASE, unix.F_UNLCK)
	return err
}

// holder returns the id of another process that has a file open for writing or mapped, or 0. What
// processes of other users have may be hidden. Those that have opened the file themselves are
// found by checkWriters, those to which the open file was passed are not.
func (s *sharedFiles) holder(f *sharedFile) (int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	inode := []byte(" " + strconv.FormatUint(f.id.inode, 10) + " ")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == s.pid {
			continue
		}
		if hasDescriptor(pid, f.id) {
			return pid, nil
		}
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid)); err == nil && bytes.Contains(text, inode) && hasMapped(pid, f) {
			return pid, nil
		}
	}
	return 0, nil
}

// hasDescriptor reports whether a process has opened a file for writing.
func hasDescriptor(pid int, id fileID) bool {
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(folder) // of other users: none
	for _, e := range entries {
		if other, _, err := identify(filepath.Join(folder, e.Name())); err == nil && other == id {
			flags, err := descriptorFlags(pid, e.Name())
			if err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY {
				return true
			}
		}
	}
	return false
}

// hasMapped reports whether a process has mapped a file in shared memory.
func hasMapped(pid int, f *sharedFile) bool {
	maps, err := procfs.ReadMaps(pid)
	if err != nil {
		return false
	}
	for _, m := range maps {
		if m.Shared && m.Inode == f.id.inode && m.Device == deviceOf(f.id) {
			return true
		}
	}
	return false
}
