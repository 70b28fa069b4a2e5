package syscalls_test

import (
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
)

// strace 6.1 writes the same texts for these arguments; only the mode of access has a
// name there.
func TestText(t *testing.T) {
	path := func(text string) syscalls.Reader {
		return func(addr uint64, b []byte) bool {
			const base = 0x1000
			return addr >= base && addr-base+uint64(len(b)) <= uint64(len(text)) && copy(b, text[addr-base:]) == len(b)
		}
	}
	for _, tt := range []struct {
		name   string
		args   [6]uint64
		memory string
		result int64
		want   string
	}{
		{"openat", [6]uint64{1<<64 - 100, 0x1000, 0, 0o600}, "/dev/null\x00", 3, `openat(AT_FDCWD, "/dev/null", O_RDONLY) = 3`},
		{"openat", [6]uint64{5, 0x1000, 0o1101, 0o666}, "x\"y\x00", 3, `openat(5, "x\"y", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3`},
		{"openat", [6]uint64{1<<64 - 100, 0x2000, 0o2000002}, "", -14, `openat(AT_FDCWD, 0x2000, O_RDWR|O_CLOEXEC) = -1 EFAULT (Bad address)`},
		{"read", [6]uint64{0, 0x1000, 512}, "a\tb\n\x001\x00z", 8, `read(0, "a\tb\n\0001\0z", 512) = 8`},
		{"write", [6]uint64{1, 0x1000, 40}, "0123456789012345678901234567890123456789", 40, `write(1, "01234567890123456789012345678901"..., 40) = 40`},
		{"close", [6]uint64{99}, "", -9, `close(99) = -1 EBADF (Bad file descriptor)`},
		{"lseek", [6]uint64{3, 1<<64 - 5, 2}, "", 7, `lseek(3, -5, SEEK_END) = 7`},
		{"mmap", [6]uint64{0, 4096, 3, 0x22, 1<<64 - 1, 0}, "", 0x7f0000000000, `mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0000000000`},
		{"mprotect", [6]uint64{0x5000, 4096, 0}, "", 0, `mprotect(0x5000, 4096, PROT_NONE) = 0`},
		{"kill", [6]uint64{12, 10}, "", 0, `kill(12, SIGUSR1) = 0`},
		{"getpid", [6]uint64{1, 2}, "", 12, `getpid() = 12`},
		{"access", [6]uint64{0x1000, 4}, "/etc/ld.so.preload\x00", -2, `access("/etc/ld.so.preload", 4) = -1 ENOENT (No such file or directory)`},
	} {
		number, ok := syscalls.Number(tt.name)
		if !ok {
			t.Fatalf("no call %s", tt.name)
		}
		if got := syscalls.ReturnText(syscalls.Call{Number: number, Args: tt.args}, tt.result, path(tt.memory)); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	if got, want := syscalls.Text(syscalls.Call{Number: 9999, Args: [6]uint64{1}}, path("")), "call_9999(0x1, 0, 0, 0, 0, 0)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
