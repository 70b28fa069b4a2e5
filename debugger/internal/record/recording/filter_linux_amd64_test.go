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
// answers system calls that do not exist, and does not let addresses be fixed.
func TestFilter(t *testing.T) {
	for _, chaos := range []string{"", "1"} {
		testFilter(t, chaos)
	}
}

func testFilter(t *testing.T, chaos string) {
	t.Helper()
	gzip, err := exec.LookPath("gzip")
	if err != nil {
		t.Skip(err)
	}
	want, err := exec.CommandContext(t.Context(), gzip, "-c", "/bin/bash").Output()
	check(t, err)
	file := filepath.Join(t.TempDir(), "recording")
	recorder := exec.CommandContext(t.Context(), os.Args[0])
	recorder.Env = append(os.Environ(), childProgram+"="+gzip, childFile+"="+file, childFilter+"=1", childChaos+"="+chaos)
	recorder.Stderr = os.Stderr
	got, err := recorder.Output()
	check(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("gzip has written %d bytes, want %d others", len(got), len(want))
	}
	text, err := os.ReadFile(file)
	check(t, err)
	replayWhole(t, open(t, text))
}

// refuseCalls makes the kernel answer EPERM to system calls with numbers from 2^30 on and to those
// of personality(2) that fix addresses, and allow all others.
func refuseCalls() error {
	const first, argument, query, fixed = 1 << 30, 16, 0xffffffff, 0x0040000
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number
		{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, Jt: 4, K: first},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 4, K: unix.SYS_PERSONALITY},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: argument},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 2, K: query},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: fixed},
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
