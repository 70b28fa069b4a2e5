package ptrace

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Writes tracks the pages that a process writes. The kernel write-protects them by
// userfaultfd(2) in the asynchronous mode of Linux 6.7: it removes the protection at
// the first write itself, and no thread is blocked. PAGEMAP_SCAN reports the
// unprotected pages and protects them again. The protection ends with this program.
type Writes struct {
	pageScan
	faults int // the userfaultfd
}

// ErrUnwatched is returned for ranges that are not, or not completely, watched.
var ErrUnwatched = errors.New("memory is not watched")

// FaultFlags are the flags for userfaultfd(2), which the process must call itself,
// because the descriptor refers to the memory of its caller: O_CLOEXEC, O_NONBLOCK,
// and UFFD_USER_MODE_ONLY, which needs no privilege.
const FaultFlags = unix.O_CLOEXEC | unix.O_NONBLOCK | 1

// pageRegion is struct page_region of linux/fs.h.
type pageRegion struct{ start, end, categories uint64 }

// scanArg is struct pm_scan_arg of linux/fs.h.
type scanArg struct {
	size, flags, start, end, walkEnd  uint64
	vec, vecLen, maxPages             uint64
	inverted, mask, anyOf, returnMask uint64
}

// Constants of linux/userfaultfd.h and linux/fs.h.
const (
	faultAPI      = 0xc018aa3f // UFFDIO_API
	faultRegister = 0xc020aa00 // UFFDIO_REGISTER
	faultVersion  = 0xaa
	modeProtect   = 2       // UFFDIO_REGISTER_MODE_WP
	unpopulated   = 1 << 13 // UFFD_FEATURE_WP_UNPOPULATED
	asynchronous  = 1 << 15 // UFFD_FEATURE_WP_ASYNC

	pagemapScan   = 0xc0606610 // PAGEMAP_SCAN
	scanProtect   = 1          // PM_SCAN_WP_MATCHING
	scanCheck     = 2          // PM_SCAN_CHECK_WPASYNC
	pageIsWritten = 2
	pageIsFile    = 4 // or of anonymous shared memory
	pageIsPresent = 8
	pageIsSwapped = 16
)

// regionsAtOnce limits the regions that one scan returns.
const regionsAtOnce = 2048

// WritesSupported returns an error if the kernel cannot track writes.
func WritesSupported() error {
	fd, _, e := unix.Syscall(unix.SYS_USERFAULTFD, FaultFlags, 0, 0)
	if e != 0 {
		return fmt.Errorf("userfaultfd: %w", e)
	}
	defer func() { _ = unix.Close(int(fd)) }()
	return beginFaults(int(fd))
}

// beginFaults enables the asynchronous mode.
func beginFaults(fd int) error {
	api := [3]uint64{faultVersion, asynchronous | unpopulated, 0}
	return ioctl(fd, faultAPI, unsafe.Pointer(&api))
}

func ioctl(fd int, request uintptr, arg unsafe.Pointer) error {
	_, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(arg))
	if e != 0 {
		return e
	}
	return nil
}

// OpenWrites duplicates a userfaultfd of the process. The descriptor of the process
// itself must be closed afterwards.
func OpenWrites(pid, remote int) (*Writes, error) {
	process, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("open process %d: %w", pid, err)
	}
	defer func() { _ = unix.Close(process) }()
	fd, err := unix.PidfdGetfd(process, remote, 0)
	if err != nil {
		return nil, fmt.Errorf("take over a descriptor of process %d: %w", pid, err)
	}
	w := &Writes{pageScan: pageScan{pagemap: -1}, faults: fd}
	if err := beginFaults(fd); err != nil {
		return nil, errors.Join(fmt.Errorf("userfaultfd: %w", err), w.Close())
	}
	if w.pagemap, err = unix.Open(fmt.Sprintf("/proc/%d/pagemap", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("open the page map of process %d: %w", pid, err), w.Close())
	}
	return w, nil
}

// Close removes the protection of all pages. It does nothing for a nil Writes.
func (w *Writes) Close() error {
	if w == nil {
		return nil
	}
	err := unix.Close(w.faults)
	if w.pagemap >= 0 {
		err = errors.Join(err, unix.Close(w.pagemap))
	}
	return err
}

// Watch starts tracking a mapping, if it is not tracked yet. Memory of some devices
// cannot be tracked.
func (w *Writes) Watch(r Range) error {
	register := [4]uint64{r.Start, r.Len(), modeProtect, 0}
	if err := ioctl(w.faults, faultRegister, unsafe.Pointer(&register)); err != nil {
		return fmt.Errorf("watch the memory at %#x: %w", r.Start, err)
	}
	return nil
}

// Written appends the pages of a range that may have been written since the last
// call, and protects them again. It returns ErrUnwatched for mappings that are
// not watched.
//
// It misses writes by other processes to shared memory, and memory that was released
// by madvise(2), which is then absent.
func (w *Writes) Written(r Range, dst []Range) ([]Range, error) {
	// Without anyOf, the scan would also match absent pages and install markers
	// for them.
	arg := scanArg{
		flags: scanProtect | scanCheck, mask: pageIsWritten, anyOf: pageIsPresent | pageIsSwapped,
		returnMask: pageIsWritten,
	}
	return w.scan(r, arg, dst)
}

// Absent appends the pages of a range that are neither in memory nor swapped out.
// They read as zero, or as the mapped file.
func (w *Writes) Absent(r Range, dst []Range) ([]Range, error) {
	const there = pageIsPresent | pageIsSwapped
	return w.scan(r, scanArg{inverted: there, mask: there, returnMask: there}, dst)
}
