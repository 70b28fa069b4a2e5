package recording

import (
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

func word32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }

// changers lists the system calls that change the contents of the file of a descriptor, and
// returns the descriptor.
var changers = map[uint64]func(g *ptrace.Regs) uint64{
	unix.SYS_WRITE: first, unix.SYS_WRITEV: first, unix.SYS_PWRITE64: first, unix.SYS_PWRITEV: first, unix.SYS_PWRITEV2: first,
	unix.SYS_FTRUNCATE: first, unix.SYS_FALLOCATE: first, unix.SYS_SENDFILE: first, unix.SYS_IOCTL: first,
	unix.SYS_COPY_FILE_RANGE: third, unix.SYS_SPLICE: third,
}

func first(g *ptrace.Regs) uint64 { return g.RDI }
func third(g *ptrace.Regs) uint64 { return g.RDX }

// changes returns the file that a system call changes and the program has mapped, or nil.
func (s *sharedFiles) changes(g *ptrace.Regs) (*sharedFile, error) {
	descriptor := changers[g.RAX]
	if descriptor == nil || len(s.list) == 0 {
		return nil, nil
	}
	id, _, err := identify(descriptorPath(s.run.Thread(), int(int32(descriptor(g)))))
	if err != nil {
		return nil, nil //nolint:nilerr // the kernel says what is wrong
	}
	f := s.find(id)
	if f != nil && g.RAX == unix.SYS_SPLICE { // it can wait while the file is half written
		return nil, cutError("the program writes a file that it has mapped by splice: " + f.path)
	}
	return f, nil
}

// contents returns the memory of the mappings of a file after a system call that has changed
// the file.
func (s *sharedFiles) contents(f *sharedFile, g *ptrace.Regs) ([]recfile.Write, error) {
	from, to := s.changedRange(g)
	maps, err := procfs.ReadMaps(s.run.Thread())
	if err != nil {
		return nil, err
	}
	var writes []recfile.Write
	for _, m := range maps {
		if s.of(m) != f {
			continue
		}
		start := m.Start + max(from, m.Offset) - m.Offset
		end := m.Start + min(max(to, m.Offset)-m.Offset, m.End-m.Start)
		if start < end {
			writes = append(writes, recfile.Write{Address: start, Data: s.readMapped(start, end)})
		}
	}
	return writes, nil
}

// readMapped returns the memory of a shared mapping. There is none beyond the last page of the
// file.
func (s *sharedFiles) readMapped(start, end uint64) []byte {
	b := make([]byte, end-start)
	n, _ := s.run.Memory().Read(start, b)
	clear(b[n:])
	return b
}

// changedRange returns the part of a file that a system call has written, as offsets. It may
// be too large.
func (s *sharedFiles) changedRange(g *ptrace.Regs) (from, to uint64) {
	const everything = 1 << 62
	n := s.run.Regs.RAX
	if int64(n) <= 0 {
		return 0, everything
	}
	position, flags, err := descriptorInfo(s.run.Thread(), strconv.Itoa(int(int32(g.RDI))))
	if err != nil {
		return 0, everything
	}
	switch g.RAX {
	case unix.SYS_WRITE, unix.SYS_WRITEV:
		return position - min(position, n), position
	case unix.SYS_PWRITE64, unix.SYS_PWRITEV:
		if flags&unix.O_APPEND == 0 { // otherwise the kernel ignores the offset
			return g.R10, g.R10 + n
		}
	}
	return 0, everything
}

// descriptorInfo returns the position of a descriptor in its file, and its flags, see
// proc_pid_fdinfo(5).
func descriptorInfo(pid int, descriptor string) (position, flags uint64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", pid, descriptor))
	if err != nil {
		return 0, 0, err
	}
	position, err = infoField(string(text), "pos", 10)
	if err == nil {
		flags, err = infoField(string(text), "flags", 8)
	}
	return position, flags, err
}

// infoField returns a number in a file of /proc/PID/fdinfo.
func infoField(text, name string, base int) (uint64, error) {
	_, after, _ := strings.Cut("\n"+text, "\n"+name+":")
	line, _, _ := strings.Cut(after, "\n")
	return strconv.ParseUint(strings.TrimSpace(line), base, 64)
}

// discarded reports whether memory that the program has given back reads as before, because it
// is that of shared mappings.
func (s *sharedFiles) discarded(start, length uint64) (keeps bool, err error) {
	if !s.sharing {
		return false, nil
	}
	maps, err := procfs.ReadMaps(s.run.Thread())
	if err != nil {
		return false, err
	}
	private := false
	for _, m := range maps {
		if m.Start < start+length && start < m.End {
			keeps, private = keeps || m.Shared, private || !m.Shared
		}
	}
	if keeps && private {
		return false, cutError("the program gives back private memory and shared memory at once")
	}
	return keeps, nil
}

// grown returns the contents of the part by which a system call has made a shared mapping of a
// file longer.
func (s *sharedFiles) grown(at, from, to uint64) ([]recfile.Write, error) {
	if !s.sharing || to <= from {
		return nil, nil
	}
	maps, err := procfs.ReadMaps(s.run.Thread())
	if err != nil {
		return nil, err
	}
	m, ok := maps.Find(at + from)
	if !ok || !m.Shared || m.Path == sharedMemory {
		return nil, nil
	}
	for _, other := range maps {
		if other.Start != m.Start && other.Inode == m.Inode && other.Device == m.Device &&
			other.Offset < m.Offset+m.End-m.Start && m.Offset < other.Offset+other.End-other.Start {
			return nil, cutError("the program maps the same part of a file twice: " + m.Path)
		}
	}
	return []recfile.Write{{Address: at + from, Data: s.readMapped(at+from, at+to)}}, nil
}

// checkPassing ends the recording before the program passes a file to another process that it
// may write through a mapping: by a child that has the mapping or the descriptor, or over a
// socket.
func (s *sharedFiles) checkPassing(g *ptrace.Regs) error {
	if !s.writable() {
		return nil
	}
	switch g.RAX {
	case unix.SYS_SENDMSG:
		return s.checkMessage(g.RSI)
	case unix.SYS_SENDMMSG:
		const size, most = 64, 1024 // of struct mmsghdr; UIO_MAXIOV
		for n := range min(g.RDX&(1<<32-1), most) {
			if err := s.checkMessage(g.RSI + n*size); err != nil {
				return err
			}
		}
	case unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_FORK, unix.SYS_VFORK:
		return s.checkChild(g)
	}
	return nil
}

// checkChild is checkPassing for a system call that starts a thread or process.
func (s *sharedFiles) checkChild(g *ptrace.Regs) error {
	flags, _ := cloneFlags(s.run, g)
	if flags&unix.CLONE_THREAD != 0 {
		return nil
	}
	if err := s.dropUnmapped(); err != nil || !s.writable() {
		return err
	}
	if g.RAX != unix.SYS_VFORK && flags&unix.CLONE_VFORK == 0 {
		return cutError("the program would share a mapped file with a child, and may write it")
	}
	return s.eachDescriptor(func(f *sharedFile, _ int, flags uint64) error {
		return cutUnless(!f.writable || flags&unix.O_CLOEXEC != 0, "the program would pass a file to a child that it has mapped and may write: %s", f.path)
	})
}

// checkMessage ends the recording if a message, a struct msghdr, passes a file that the
// program may write through a mapping.
func (s *sharedFiles) checkMessage(at uint64) error {
	var header [48]byte
	if _, err := s.run.Memory().Read(at, header[:]); err != nil {
		return nil //nolint:nilerr // the kernel says what is wrong
	}
	const most, headerSize = 1 << 16, 16
	control := make([]byte, min(binary.LittleEndian.Uint64(header[40:]), most))
	n, _ := s.run.Memory().Read(binary.LittleEndian.Uint64(header[32:]), control)
	for control = control[:n]; len(control) >= headerSize; {
		length := binary.LittleEndian.Uint64(control)
		if length < headerSize || length > uint64(len(control)) {
			return nil
		}
		if word32(control[8:]) == unix.SOL_SOCKET && word32(control[12:]) == unix.SCM_RIGHTS {
			if err := s.checkPassed(control[headerSize:length]); err != nil {
				return err
			}
		}
		control = control[min(uint64(len(control)), (length+7)&^7):]
	}
	return nil
}

// checkPassed is checkMessage for its descriptors.
func (s *sharedFiles) checkPassed(descriptors []byte) error {
	if err := s.dropUnmapped(); err != nil {
		return err
	}
	for ; len(descriptors) >= 4; descriptors = descriptors[4:] {
		id, _, err := identify(descriptorPath(s.run.Thread(), int(int32(word32(descriptors)))))
		if err != nil {
			continue
		}
		if f := s.find(id); f != nil && f.writable {
			return cutError("the program passes a file to another process that it has mapped and may write: " + f.path)
		}
	}
	return nil
}
