package recording

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
)

// A file that the program has mapped in shared memory is replayed as private memory. That is
// exact as long as only the program changes the file: by instructions that write the mapping,
// which a replay executes, too, and by system calls, after which the recorder records the
// contents again.
//
// Others must open the file before they can change it, or must have it open. So when the
// program maps a file that it may write through the mapping, the kernel and /proc must show
// that the program has opened it once and no other process has it. From then on the kernel
// reports by inotify(7) when the file is opened or written, before open(2) returns. The
// recorder reads the reports before it adds an event: what the program has executed since the
// last one may depend on the change, and is not recorded.
//
// The program's own system calls that change such a file need a stop, because other instructions
// may read the file before and after. The program stops when it opens any file for writing, and
// when it writes to a descriptor of such a file, see writers_linux_amd64.go. Other calls need none:
// their records are added after the reports were read that had come until then.
//
// Files in mappings that the program may only read are often open elsewhere, such as libraries
// and caches. Of those only writes by system calls are noticed.

// sharedFiles are the files that the program has mapped in shared memory. They need no lock: only
// the recorder uses them.
type sharedFiles struct {
	run     *inplace.Runner // of the program
	pid     int
	sharing bool // there was shared memory, of whatever kind
	notify  int  // of inotify, or 0
	list    []*sharedFile
	writers []int // descriptors by which the program may write the files, perhaps too many
}

// A sharedFile is a file that the program has mapped in shared memory.
type sharedFile struct {
	path     string
	id       fileID
	device   string // in /proc/PID/maps, where it can differ from that of id
	inode    uint64
	watch    int
	writable bool // through a mapping
}

// A fileID identifies a file.
type fileID struct{ device, inode uint64 }

// identify returns the file at a path, which may be one of /proc.
func identify(path string) (id fileID, regular bool, err error) {
	var s unix.Stat_t
	if err := unix.Stat(path, &s); err != nil {
		return id, false, err
	}
	return fileID{s.Dev, s.Ino}, s.Mode&unix.S_IFMT == unix.S_IFREG, nil
}

// dropUnmapped forgets files of which the program has no shared mapping any more.
func (s *sharedFiles) dropUnmapped() error {
	if len(s.list) == 0 {
		return nil
	}
	maps, err := procfs.ReadMaps(s.run.Thread())
	if err != nil {
		return err
	}
	s.list = slices.DeleteFunc(s.list, func(f *sharedFile) bool {
		if slices.ContainsFunc(maps, func(m procfs.Map) bool { return s.of(m) == f }) {
			return false
		}
		_, _ = unix.InotifyRmWatch(s.notify, uint32(f.watch)) // the file may exist no more
		return true
	})
	if len(s.list) == 0 {
		s.writers = nil
	}
	return nil
}

// deviceOf returns the device of a file as /proc/PID/maps has it.
func deviceOf(id fileID) string {
	return fmt.Sprintf("%02x:%02x", unix.Major(id.device), unix.Minor(id.device))
}

// descriptorPath returns the path of a descriptor of a thread.
func descriptorPath(tid, fd int) string {
	return fmt.Sprintf("/proc/%d/fd/%d", tid, fd)
}

// close ends the reports, so that another program begins without any.
func (s *sharedFiles) close() {
	if s.notify != 0 {
		_ = unix.Close(s.notify)
	}
	*s = sharedFiles{}
}

// find returns a file, or nil.
func (s *sharedFiles) find(id fileID) *sharedFile {
	at := slices.IndexFunc(s.list, func(f *sharedFile) bool { return f.id == id })
	if at < 0 {
		return nil
	}
	return s.list[at]
}

// of returns the file of a mapping, if it is shared, or nil.
func (s *sharedFiles) of(m procfs.Map) *sharedFile {
	at := slices.IndexFunc(s.list, func(f *sharedFile) bool { return m.Shared && f.inode == m.Inode && f.device == m.Device })
	if at < 0 {
		return nil
	}
	return s.list[at]
}

// writable reports whether the program may write a file through a mapping.
func (s *sharedFiles) writable() bool {
	return slices.ContainsFunc(s.list, func(f *sharedFile) bool { return f.writable })
}

// checkMap checks whether a mapping of a file can be recorded, before it is made, and watches
// the file.
func (s *sharedFiles) checkMap(g *ptrace.Regs) error {
	shared := g.R10&unix.MAP_SHARED != 0
	if !shared && len(s.list) == 0 {
		return nil
	}
	if err := s.dropUnmapped(); err != nil {
		return err
	}
	path := descriptorPath(s.run.Thread(), int(int32(g.R8)))
	id, regular, err := identify(path)
	if err != nil {
		return nil //nolint:nilerr // the kernel says what is wrong
	}
	writable := shared && g.RDX&unix.PROT_WRITE != 0
	if writable && !regular {
		return cutError("the program maps a device that others may write, and may write it itself")
	}
	f := s.find(id)
	if f == nil && shared && regular {
		if f, err = s.watchFile(path, id, writable); err != nil {
			return err
		}
	}
	if f == nil {
		return nil
	}
	if err := s.checkOverlap(f, g, writable); err != nil || !writable {
		return err
	}
	return s.makeWritable(f)
}

// watchFile makes the kernel report changes of a file. It returns nil if that fails for a file
// that the program does not write.
func (s *sharedFiles) watchFile(path string, id fileID, writable bool) (*sharedFile, error) {
	if s.notify == 0 {
		fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
		if err != nil {
			return nil, cutUnless(!writable, "the program may write a mapped file, and inotify_init1 failed: %v", err)
		}
		s.notify = fd
	}
	watch, err := unix.InotifyAddWatch(s.notify, path, unix.IN_MODIFY)
	if err != nil {
		return nil, cutUnless(!writable, "the program may write a mapped file, and inotify_add_watch failed: %v", err)
	}
	f := &sharedFile{id: id, device: deviceOf(id), inode: id.inode, watch: watch, path: path}
	if name, err := os.Readlink(path); err == nil {
		f.path = name
	}
	s.list = append(s.list, f)
	return f, nil
}

// cutUnless returns an error that ends the recording, unless it need not end.
func cutUnless(fine bool, format string, args ...any) error {
	if fine {
		return nil
	}
	return cutError(fmt.Sprintf(format, args...))
}

// watchOpens makes the kernel report, too, when a file is opened, given the path of a
// descriptor.
func (s *sharedFiles) watchOpens(path string) error {
	_, err := unix.InotifyAddWatch(s.notify, path, unix.IN_MODIFY|unix.IN_OPEN|unix.IN_CLOSE_WRITE)
	return err
}

// makeWritable checks that only the program can write a file, which it may write through a
// mapping from now on.
func (s *sharedFiles) makeWritable(f *sharedFile) error {
	if f.writable {
		return nil
	}
	if err := s.checkAlone(f); err != nil {
		return err
	}
	f.writable = true
	return nil
}

// checkOverlap ends the recording if memory is mapped twice, so that what is written to one
// mapping appears in the other one.
func (s *sharedFiles) checkOverlap(f *sharedFile, g *ptrace.Regs, writable bool) error {
	if !writable && !f.writable {
		return nil
	}
	maps, err := procfs.ReadMaps(s.run.Thread())
	if err != nil {
		return err
	}
	for _, m := range maps {
		same := m.Inode == f.inode && m.Device == f.device
		if same && m.Offset < g.R9+pageUp(g.RSI) && g.R9 < m.Offset+m.End-m.Start {
			return cutError("the program maps the same part of a file twice, and may write it: " + f.path)
		}
	}
	return nil
}

// noteMapped notes that the system call mmap has made a shared mapping at an address.
func (s *sharedFiles) noteMapped(at uint64, g *ptrace.Regs) error {
	s.sharing = true
	id, _, err := identify(descriptorPath(s.run.Thread(), int(int32(g.R8))))
	if err != nil {
		return err
	}
	f := s.find(id)
	if f == nil { // while the call waited, something else has happened to the file
		return cutUnless(g.RDX&unix.PROT_WRITE == 0, "a file was changed while the program mapped it")
	}
	maps, err := procfs.ReadMaps(s.run.Thread())
	if err != nil {
		return err
	}
	if m, ok := maps.Find(at); ok {
		f.device, f.inode = m.Device, m.Inode
	}
	return s.findWriters()
}

// checkProtect checks whether a mapping of a file that becomes writable can be recorded.
func (s *sharedFiles) checkProtect(g *ptrace.Regs) error {
	if len(s.list) == 0 || g.RDX&unix.PROT_WRITE == 0 {
		return nil
	}
	maps, err := procfs.ReadMaps(s.run.Thread())
	for _, m := range maps {
		if f := s.of(m); f != nil && m.Start < g.RDI+g.RSI && g.RDI < m.End {
			err = errors.Join(err, s.makeWritable(f))
		}
	}
	return err
}
