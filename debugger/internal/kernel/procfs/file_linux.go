package procfs

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"
)

// procSize is more than most files about a process have, so that one read is
// enough for them.
const procSize = 4 << 10

// ReadFile reads a file of /proc. Attaching reads dozens of them, and
// os.ReadFile would find out for each that it cannot be polled.
func ReadFile(path string) (string, error) {
	fd, err := again(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return "", &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = unix.Close(fd) }() // it was only read
	var text, part []byte = nil, make([]byte, procSize)
	for {
		n, err := again(func() (int, error) { return unix.Read(fd, part) })
		if err != nil {
			return string(text), &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n == 0 {
			return string(text), nil
		}
		text = append(text, part[:n]...)
	}
}

// again makes a system call until no signal interrupts it.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// ReadStatus reads a status file.
func ReadStatus(path string) (Status, error) {
	text, err := ReadFile(path)
	return ParseStatus(text), err
}

// ThreadName is the name that a thread has given itself.
func ThreadName(pid, tid int) string {
	text, _ := ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", pid, tid))
	if n := len(text); n > 0 && text[n-1] == '\n' {
		text = text[:n-1]
	}
	return text
}

// ThreadStat is a field of a thread's stat file, "" when it is gone.
func ThreadStat(pid, tid, field int) string {
	text, _ := ReadFile(fmt.Sprintf("/proc/%d/task/%d/stat", pid, tid))
	value, _ := StatField(text, field)
	return value
}

// ReadUsed reads how much memory the mappings of a process have.
func ReadUsed(pid int) (Used, error) {
	text, err := ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps")
	return ParseUsed(text), err
}
