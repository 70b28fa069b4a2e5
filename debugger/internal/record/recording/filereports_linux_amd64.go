package recording

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// readReports reads what has happened to the files since the last call. The file that a system
// call has just changed may be nil.
func (s *sharedFiles) readReports(changed *sharedFile) error {
	if s.notify == 0 {
		return nil
	}
	var b [1 << 14]byte
	n, err := unix.Read(s.notify, b[:])
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return nil
	}
	if err != nil {
		return err
	}
	reports, err := parseReports(b[:n])
	if err = errors.Join(err, s.dropUnmapped()); err != nil {
		return err
	}
	for watch, mask := range reports {
		if err := s.handleReport(watch, mask, changed); err != nil {
			return err
		}
	}
	return s.readReports(changed) // up to EAGAIN
}

// handleReport ends the recording if others may have changed a file.
func (s *sharedFiles) handleReport(watch int, mask uint32, changed *sharedFile) error {
	at := slices.IndexFunc(s.list, func(f *sharedFile) bool { return f.watch == watch })
	if at < 0 {
		return nil
	}
	f := s.list[at]
	switch {
	case mask&unix.IN_IGNORED != 0: // it exists no more
		s.list = slices.Delete(s.list, at, at+1)
		return nil
	case mask&unix.IN_MODIFY != 0 && f != changed:
		return cutError("another process, or a system call with unknown effect, has written a file that the program has mapped: " + f.path)
	case !f.writable || mask&unix.IN_OPEN == 0:
		return nil
	case mask&unix.IN_CLOSE_WRITE != 0:
		return cutError("a file that the program has mapped and may write was opened again: " + f.path)
	}
	return s.checkAlone(f) // it was opened for reading, otherwise
}

func parseReports(b []byte) (map[int]uint32, error) {
	reports := make(map[int]uint32)
	for len(b) >= unix.SizeofInotifyEvent {
		watch, mask, length := int(int32(word32(b))), word32(b[4:]), word32(b[12:])
		if mask&unix.IN_Q_OVERFLOW != 0 {
			return nil, cutError("too much has happened to the files that the program has mapped")
		}
		reports[watch] |= mask
		b = b[min(len(b), unix.SizeofInotifyEvent+int(length)):]
	}
	return reports, nil
}
