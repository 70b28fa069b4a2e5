package procfs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// The lines have the form of proc_pid_maps(5).
const mapsText = `55d0c0a00000-55d0c0a01000 r--p 00000000 fe:01 393350                     /usr/bin/with two  spaces
55d0c0a01000-55d0c0a03000 r-xp 00001000 fe:01 393350                     /usr/bin/with two  spaces
7f0000000000-7f0000001000 rw-s 00000000 00:05 4711                       /dev/zero (deleted)
7ffc11a00000-7ffc11a21000 rw-p 00000000 00:00 0                          [stack]
7ffc11b00000-7ffc11b02000 ---p 00000000 00:00 0 
ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
`

func TestParseMaps(t *testing.T) {
	maps, err := procfs.ParseMaps(strings.NewReader(mapsText))
	if err != nil {
		t.Fatal(err)
	}
	want := []procfs.Map{
		{Start: 0x55d0c0a00000, End: 0x55d0c0a01000, Read: true, Device: "fe:01", Inode: 393350, Path: "/usr/bin/with two  spaces"},
		{Start: 0x55d0c0a01000, End: 0x55d0c0a03000, Read: true, Execute: true, Offset: 0x1000, Device: "fe:01", Inode: 393350, Path: "/usr/bin/with two  spaces"},
		{Start: 0x7f0000000000, End: 0x7f0000001000, Read: true, Write: true, Shared: true, Device: "00:05", Inode: 4711, Path: "/dev/zero (deleted)"},
		{Start: 0x7ffc11a00000, End: 0x7ffc11a21000, Read: true, Write: true, Device: "00:00", Path: "[stack]"},
		{Start: 0x7ffc11b00000, End: 0x7ffc11b02000, Device: "00:00"},
		{Start: 0xffffffffff600000, End: 0xffffffffff601000, Execute: true, Device: "00:00", Path: "[vsyscall]"},
	}
	if len(maps) != len(want) {
		t.Fatalf("%d maps, want %d", len(maps), len(want))
	}
	for i := range want {
		if maps[i] != want[i] {
			t.Errorf("map %d is %+v, want %+v", i, maps[i], want[i])
		}
	}
}

func TestMapsFind(t *testing.T) {
	maps, err := procfs.ParseMaps(strings.NewReader(mapsText))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		address uint64
		want    int // which map, -1 none
	}{
		{0, -1},
		{0x55d0c09fffff, -1},
		{0x55d0c0a00000, 0},
		{0x55d0c0a00fff, 0},
		{0x55d0c0a01000, 1},
		{0x55d0c0a03000, -1},
		{0x7ffc11a20fff, 3},
		{0xffffffffff600fff, 5},
		{0xffffffffff601000, -1},
		{1<<64 - 1, -1},
	}
	for _, test := range tests {
		got, ok := maps.Find(test.address)
		if ok != (test.want >= 0) || ok && got != maps[test.want] {
			t.Errorf("Find(%#x) = %+v %v, want map %d", test.address, got, ok, test.want)
		}
	}
}

func TestParseMapsErrors(t *testing.T) {
	for _, line := range []string{"x", "10-20", "20-10 r--p 0 00:00 0", "10-20 r- 0 00:00 0", "10-20 r--p zz 00:00 0", "10-20 r--p 0 00:00 -1", "1-11111111111111111 r--p 0 0:0 0"} {
		if maps, err := procfs.ParseMaps(strings.NewReader(line)); err == nil {
			t.Errorf("ParseMaps(%q) = %v", line, maps)
		}
	}
}

// What is parsed says the same when it is written as the kernel does.
func FuzzParseMaps(f *testing.F) {
	f.Add(mapsText)
	f.Fuzz(func(t *testing.T, text string) {
		maps, err := procfs.ParseMaps(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, m := range maps {
			again, err := procfs.ParseMaps(strings.NewReader(mapLine(m)))
			if err != nil || len(again) != 1 || again[0] != m {
				t.Fatalf("%+v became %+v (%v) by %q", m, again, err, mapLine(m))
			}
		}
	})
}

func mapLine(m procfs.Map) string {
	mode := []byte("---p")
	for i, on := range []bool{m.Read, m.Write, m.Execute, m.Shared} {
		if on {
			mode[i] = "rwxs"[i]
		}
	}
	return fmt.Sprintf("%x-%x %s %x %s %d %s", m.Start, m.End, mode, m.Offset, m.Device, m.Inode, m.Path)
}
