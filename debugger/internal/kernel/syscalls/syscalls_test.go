package syscalls_test

import (
	"encoding/binary"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// memory returns the memory that calls' arguments point to: words from 0x1000.
func memory(words ...uint64) syscalls.Reader {
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return func(addr uint64, dst []byte) bool {
		const base = 0x1000
		return addr >= base && addr-base <= uint64(len(b)) && copy(dst, b[addr-base:]) == len(dst)
	}
}

// Sizes and arguments come from section 2 of the manual.
func TestWrites(t *testing.T) {
	tests := []struct {
		name   string
		number uint64
		args   [6]uint64
		memory []uint64
		want   []x86.Span
	}{
		{name: "read", number: 0, args: [6]uint64{3, 0x5000, 10}, want: []x86.Span{{Addr: 0x5000, Len: 10}}},
		{name: "write", number: 1, args: [6]uint64{3, 0x5000, 10}},
		{name: "nanosleep without remainder", number: 35, args: [6]uint64{0x5000, 0}},
		{
			name: "readv", number: 19, args: [6]uint64{3, 0x1000, 2}, memory: []uint64{0x5000, 7, 0x6000, 9},
			want: []x86.Span{{Addr: 0x5000, Len: 7}, {Addr: 0x6000, Len: 9}},
		},
		{
			name: "recvfrom", number: 45, args: [6]uint64{3, 0x5000, 10, 0, 0x6000, 0x1000}, memory: []uint64{16},
			want: []x86.Span{{Addr: 0x5000, Len: 10}, {Addr: 0x6000, Len: 16}, {Addr: 0x1000, Len: 4}},
		},
		{
			name: "recvmsg", number: 47, args: [6]uint64{3, 0x1000},
			memory: []uint64{0x5000, 16, 0x1038, 1, 0x6000, 24, 0, 0x7000, 5},
			want:   []x86.Span{{Addr: 0x1000, Len: 56}, {Addr: 0x5000, Len: 16}, {Addr: 0x7000, Len: 5}, {Addr: 0x6000, Len: 24}},
		},
		{
			name: "recvmmsg", number: 299, args: [6]uint64{3, 0x1000, 2, 0, 0x9000},
			memory: []uint64{
				0, 0, 0x1080, 1, 0, 0, 0, 0, // the first message, and its length
				0x5000, 16, 0, 0, 0x7000, 5, 0, 0, // the second one
				0x6000, 24, // the buffers of the first one
			},
			want: []x86.Span{
				{Addr: 0x1000, Len: 56}, {Addr: 0x6000, Len: 24}, {Addr: 0x1038, Len: 4},
				{Addr: 0x1040, Len: 56}, {Addr: 0x5000, Len: 16}, {Addr: 0x7000, Len: 5}, {Addr: 0x1078, Len: 4},
				{Addr: 0x9000, Len: 16},
			},
		},
		{name: "msgrcv", number: 70, args: [6]uint64{3, 0x5000, 10}, want: []x86.Span{{Addr: 0x5000, Len: 18}}},
		{
			name: "select", number: 23, args: [6]uint64{65, 0x5000, 0, 0x6000, 0x7000},
			want: []x86.Span{{Addr: 0x5000, Len: 16}, {Addr: 0x6000, Len: 16}, {Addr: 0x7000, Len: 16}},
		},
		{name: "futex, wait", number: 202, args: [6]uint64{0x5000, 128, 1, 0, 0x6000}},
		{name: "futex, wake and change the second word", number: 202, args: [6]uint64{0x5000, 133, 1, 1, 0x6000}, want: []x86.Span{{Addr: 0x6000, Len: 4}}},
		{name: "futex, lock with priority", number: 202, args: [6]uint64{0x5000, 134}, want: []x86.Span{{Addr: 0x5000, Len: 4}}},
		{
			name: "poll begun again", number: 219, args: [6]uint64{0x5000, 2, 1000},
			want: []x86.Span{{Addr: 0x5000, Len: 16}, {Addr: 2, Len: 16}},
		},
		{
			name: "clock_nanosleep begun again", number: 219, args: [6]uint64{1, 0, 0x5000, 0x6000},
			want: []x86.Span{{Addr: 0x6000, Len: 16}},
		},
		{name: "munmap", number: 11, args: [6]uint64{0x5000, 4096}, want: []x86.Span{{Addr: 0x5000, Len: 4096}}},
		{name: "mmap", number: 9, args: [6]uint64{0x5000, 4096, 3, 0x22}},
		{name: "mmap fixed", number: 9, args: [6]uint64{0x5000, 4096, 3, 0x32}, want: []x86.Span{{Addr: 0x5000, Len: 4096}}},
		{name: "madvise free", number: 28, args: [6]uint64{0x5000, 4096, 4}, want: []x86.Span{{Addr: 0x5000, Len: 4096}}},
		{name: "madvise", number: 28, args: [6]uint64{0x5000, 4096, 14}},
		{name: "getxattr", number: 191, args: [6]uint64{0x4000, 0x4100, 0x5000, 20}, want: []x86.Span{{Addr: 0x5000, Len: 20}}},
		{name: "sched_getattr", number: 315, args: [6]uint64{0, 0x5000, 48}, want: []x86.Span{{Addr: 0x5000, Len: 48}}},
		{name: "process_vm_readv", number: 310, args: [6]uint64{9, 0x1000, 1, 0x6000, 1}, memory: []uint64{0x5000, 7}, want: []x86.Span{{Addr: 0x5000, Len: 7}}},
		{name: "pkey_alloc", number: 330},
		{name: "prctl, timer slack", number: 157, args: [6]uint64{29, 1}},
		{name: "absurd length", number: 0, args: [6]uint64{3, 0x5000, 1 << 63}, want: []x86.Span{{Addr: 0x5000, Len: 1 << 56}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := syscalls.Of(syscalls.Call{Number: test.number, Args: test.args}, memory(test.memory...))
			if got.Unknown || !reflect.DeepEqual(got.Writes, test.want) {
				t.Errorf("got %+v, want %v", got, test.want)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	const cloneVM, cloneThread = 0x100, 0x10000
	tests := []struct {
		name   string
		number uint64
		args   [6]uint64
		want   bool
	}{
		{"no such call", 9999, [6]uint64{}, true},
		{"vfork", 58, [6]uint64{}, true},
		{"thread", 56, [6]uint64{cloneVM | cloneThread}, false},
		{"child in the same memory", 56, [6]uint64{cloneVM}, true},
		{"child", 56, [6]uint64{17}, false},
		{"ioctl", 16, [6]uint64{0, 0x12345}, true},
		{"TCGETS", 16, [6]uint64{0, 0x5401, 0x5000}, false},
		{"clone3 of nothing", 435, [6]uint64{0x9000}, true},
	}
	for _, test := range tests {
		got := syscalls.Of(syscalls.Call{Number: test.number, Args: test.args}, memory())
		if got.Unknown != test.want {
			t.Errorf("%s: unknown %v, want %v", test.name, got.Unknown, test.want)
		}
	}
}

// Names and numbers come from the C library's header.
func TestNumbers(t *testing.T) {
	header, err := os.ReadFile("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
	if err != nil {
		t.Skip("this needs the kernel's headers: ", err)
	}
	names := map[uint64]string{}
	for _, m := range regexp.MustCompile(`#define __NR_(\w+) (\d+)`).FindAllSubmatch(header, -1) {
		n, err := strconv.ParseUint(string(m[2]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		names[n] = string(m[1])
	}
	known := 0
	for n := range uint64(600) {
		got := syscalls.Name(n)
		if got == "" {
			continue
		}
		if known++; names[n] != "" && got != names[n] {
			t.Errorf("call %d is %q, want %q", n, got, names[n])
		}
		if back, ok := syscalls.Number(got); !ok || back != n {
			t.Errorf("%s is call %d (%v), want %d", got, back, ok, n)
		}
	}
	for n, name := range names {
		if syscalls.Name(n) != name {
			t.Errorf("call %d is %q, want %q", n, syscalls.Name(n), name)
		}
	}
	if known < len(names) {
		t.Errorf("%d calls are known, want %d", known, len(names))
	}
}
