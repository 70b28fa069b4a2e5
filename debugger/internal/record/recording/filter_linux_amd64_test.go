package recording_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// TestFilter records a program that is under a seccomp filter, as in a container, which
// answers system calls that do not exist.
func TestFilter(t *testing.T) {
	gzip, err := exec.LookPath("gzip")
	if err != nil {
		t.Skip(err)
	}
	want, err := exec.CommandContext(t.Context(), gzip, "-c", "/bin/bash").Output()
	check(t, err)
	file := filepath.Join(t.TempDir(), "recording")
	recorder := exec.CommandContext(t.Context(), os.Args[0])
	recorder.Env = append(os.Environ(), childProgram+"="+gzip, childFile+"="+file, childFilter+"=1")
	recorder.Stderr = os.Stderr
	got, err := recorder.Output()
	check(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("gzip has written %d bytes, want %d others", len(got), len(want))
	}
	text, err := os.ReadFile(file)
	check(t, err)
	replay(t, open(t, text))
}

// refuseUnknownCalls makes the kernel answer EPERM to system calls with numbers from 2^30 on,
// and allow all others.
func refuseUnknownCalls() error {
	const first = 1 << 30
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jf: 1, K: first},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
