package cfi_test

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/cfi"
)

// sections returns the tables of a file: .eh_frame with its sorted table,
// without it, and .debug_frame.
func sections(t testing.TB, path string) (hdr, plain, debug *cfi.Table) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Skipf("no such file on this system: %v", err)
	}
	defer f.Close()
	if s := f.Section(".debug_frame"); s != nil {
		b, _ := s.Data()
		debug = cfi.New(cfi.Section{Data: b})
	}
	eh := f.Section(".eh_frame")
	if eh == nil {
		return nil, nil, debug
	}
	data, _ := eh.Data()
	plain = cfi.New(cfi.Section{Data: data, Addr: eh.Addr, EH: true})
	if h := f.Section(".eh_frame_hdr"); h != nil {
		b, _ := h.Data()
		hdr = cfi.New(cfi.Section{Data: data, Addr: eh.Addr, EH: true, Hdr: b, HdrAddr: h.Addr})
	}
	return hdr, plain, debug
}

// withDebugFrame compiles a program whose frame information is in .debug_frame.
// Without a compiler it returns a path where no file is, for a skip.
func withDebugFrame(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	src := filepath.Join(dir, "a.c")
	text := "#include <stdio.h>\nstatic int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n" +
		"int main(int c, char **v) { char a[c * 9]; printf(\"%d\", f(c) + a[0]); return v[0][0]; }\n"
	if err := os.WriteFile(src, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "a")
	out, err := exec.CommandContext(t.Context(), "gcc", "-g", "-O2", "-fno-asynchronous-unwind-tables", "-o", exe, src).CombinedOutput()
	if err != nil {
		t.Logf("no program with .debug_frame: %v %s", err, out)
	}
	return exe
}

// registers are readelf's names in DWARF order.
var registers = strings.Fields("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra")

// spell writes a rule as readelf does.
func spell(r cfi.Rule, isCFA bool) string {
	off := func(base string) string {
		if r.Offset < 0 {
			return base + strconv.FormatInt(r.Offset, 10)
		}
		return base + "+" + strconv.FormatInt(r.Offset, 10)
	}
	switch {
	case isCFA && r.Kind == cfi.IsExpression:
		return "exp"
	case isCFA:
		return off(registers[r.Reg])
	}
	switch r.Kind {
	case cfi.Undefined, cfi.Unspecified:
		return "u"
	case cfi.SameValue:
		return "s"
	case cfi.AtOffset:
		return off("c")
	case cfi.IsOffset:
		return off("v")
	case cfi.InRegister:
		return registers[r.Reg]
	case cfi.AtExpression:
		return "exp"
	}
	return "vexp"
}

// TestRows compares every row of a few files with those that readelf computes.
func TestRows(t *testing.T) {
	if _, err := exec.LookPath("readelf"); err != nil {
		t.Skip("needs readelf (binutils)")
	}
	for _, path := range []string{
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6", withDebugFrame(t),
	} {
		t.Run(path, func(t *testing.T) {
			hdr, plain, debug := sections(t, path)
			out, err := exec.CommandContext(t.Context(), "readelf", "--wide", "--debug-dump=frames-interp", path).Output()
			if err != nil && len(out) == 0 { // it also fails for want of a separate debug file
				t.Skipf("readelf: %v", err)
			}
			n := 0
			for b := range strings.SplitSeq(string(out), "Contents of the ") {
				name, body, _ := strings.Cut(b, "\n")
				tables := []*cfi.Table{plain, hdr}
				if strings.HasPrefix(name, ".debug_frame") {
					tables = []*cfi.Table{debug}
				}
				n += compare(t, body, tables)
			}
			if n == 0 {
				t.Error("readelf shows no row")
			}
			t.Logf("%d rows agree", n)
		})
	}
}

// compare goes through readelf's rows and returns how many there were.
func compare(t *testing.T, text string, tables []*cfi.Table) int {
	t.Helper()
	var columns []string
	inFDE, n, bad := false, 0, 0
	for sc := bufio.NewScanner(strings.NewReader(text)); sc.Scan() && bad < 10; {
		f := strings.Fields(sc.Text())
		switch {
		case len(f) > 3 && (f[3] == "CIE" || f[3] == "FDE"):
			inFDE = f[3] == "FDE"
		case len(f) > 1 && f[0] == "LOC":
			columns = f[1:]
		case inFDE && len(f) == len(columns)+1 && f[1] != "ZERO":
			pc, err := strconv.ParseUint(f[0], 16, 64)
			if err != nil {
				continue
			}
			for _, table := range tables {
				if table == nil {
					continue
				}
				n++
				if got := spellRow(table, pc, columns); got != strings.Join(f[1:], " ") {
					t.Errorf("%#x: %v is %q, want %q", pc, columns, got, strings.Join(f[1:], " "))
					bad++
				}
			}
		}
	}
	return n
}

func spellRow(table *cfi.Table, pc uint64, columns []string) string {
	row, err := table.Row(pc)
	if err != nil {
		return err.Error()
	}
	out := []string{spell(row.CFA, true)}
	for _, c := range columns[1:] {
		for i, name := range registers {
			if name == c {
				out = append(out, spell(row.Reg[i], false))
			}
		}
	}
	return strings.Join(out, " ")
}

// TestNotCovered asks for addresses where no function is.
func TestNotCovered(t *testing.T) {
	hdr, plain, _ := sections(t, "/lib/x86_64-linux-gnu/libc.so.6")
	for _, pc := range []uint64{0, 1, 1 << 40, ^uint64(0)} {
		for _, table := range []*cfi.Table{hdr, plain} {
			if row, err := table.Row(pc); !errors.Is(err, cfi.ErrNotCovered) {
				t.Errorf("Row(%#x) = %v, %v, want ErrNotCovered", pc, row, err)
			}
		}
	}
}

// TestSignalFrame: a restorer says that it is one. Written by hand after the
// Linux Standard Base: "zRS", one CFA expression.
func TestSignalFrame(t *testing.T) {
	cie := []byte{
		0, 0, 0, 0, // id
		1, 'z', 'R', 'S', 0, // version, augmentation
		1, 0x78, 16, // code 1, data -8, return address column
		1, 0x00, // augmentation data: addresses are absolute
		0x0f, 2, 0x77, 0x10, // CFA is rsp+16
	}
	var s []byte
	s = append(s, byte(len(cie)), 0, 0, 0)
	s = append(s, cie...)
	fde := []byte{byte(len(s)), 0, 0, 0}
	fde = append(fde, 0x00, 0x10, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0)
	fde[0] = byte(len(s) + 4)
	s = append(s, byte(len(fde)), 0, 0, 0)
	s = append(s, fde...)
	row, err := cfi.New(cfi.Section{Data: s, EH: true}).Row(0x1008)
	if err != nil {
		t.Fatal(err)
	}
	if !row.Signal || row.CFA.Kind != cfi.IsExpression || !bytes.Equal(row.CFA.Expr, []byte{0x77, 0x10}) {
		t.Errorf("row is %+v, want a signal frame with a CFA expression", row)
	}
	if row.Start != 0x1000 || row.End != 0x1010 {
		t.Errorf("range is %#x-%#x, want 0x1000-0x1010", row.Start, row.End)
	}
}

func FuzzTable(f *testing.F) {
	f.Add([]byte{0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0}, true, uint64(0x1000))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0x80}, false, uint64(0))
	// An unknown version, followed by a string.
	f.Add([]byte{
		0x14, 0, 0, 0, 0, 0, 0, 0, 2, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
		0x14, 0, 0, 0, 0x1c, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	}, true, uint64(0x1000))
	f.Fuzz(func(t *testing.T, data []byte, eh bool, pc uint64) {
		s := cfi.Section{Data: data, Addr: 0x1000, EH: eh}
		for _, hdr := range [][]byte{nil, data} {
			s.Hdr = hdr
			table := cfi.New(s)
			row, err := table.Row(pc)
			if (row == nil) == (err == nil) {
				t.Fatalf("Row = %v, %v", row, err)
			}
			if again, _ := table.Row(pc); again != row {
				t.Fatalf("a second Row differs: %v, %v", again, row)
			}
		}
	})
}

func BenchmarkRow(b *testing.B) {
	hdr, _, _ := sections(b, "/lib/x86_64-linux-gnu/libc.so.6")
	f, err := elf.Open("/lib/x86_64-linux-gnu/libc.so.6")
	if err != nil {
		b.Skip(err)
	}
	defer f.Close()
	entry := f.Entry
	b.ReportAllocs()
	for b.Loop() {
		if _, err := hdr.Row(entry); err != nil && !errors.Is(err, cfi.ErrNotCovered) {
			b.Fatal(err)
		}
	}
}
