package stepping

import (
	"strings"
	"testing"
)

// Conditions on the number of hits are a number, or one behind an operator.
func TestParseHits(t *testing.T) {
	for text, want := range map[string]string{ // which of the hits 1 to 6 count
		"3": "3456", " > 3": "456", ">=3": "3456", "==3": "3", "= 3": "3", "<3": "12", "<= 3": "123", "%2": "246", "0": "123456",
	} {
		holds, err := parseHits(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		got := ""
		for hit := range 6 {
			if holds(hit + 1) {
				got += string(rune('1' + hit))
			}
		}
		if got != want {
			t.Errorf("%q: hits %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"x", "-1", "%0", ">", "=>3", "3 4", "99999999999999999999"} {
		if _, err := parseHits(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// System calls have the numbers of the kernel's table for x86-64 (syscall_64.tbl).
func TestParseSyscalls(t *testing.T) {
	for _, tt := range []struct {
		event    string
		has, not []uint64
	}{
		{"syscall", []uint64{0, 59, 400}, nil},
		{"syscall:open, close", []uint64{2, 3}, []uint64{0, 1, 257}},
		{"syscall:60,syscall:write", []uint64{60, 1}, []uint64{2}},
		{"throw", nil, []uint64{0}},
	} {
		c, err := parseSyscalls(tt.event)
		if err != nil || CheckCatch(tt.event) != nil {
			t.Errorf("%s: %v, %v", tt.event, err, CheckCatch(tt.event))
		}
		for _, n := range tt.has {
			if !c.has(n) {
				t.Errorf("%s has no call %d", tt.event, n)
			}
		}
		for _, n := range tt.not {
			if c.has(n) {
				t.Errorf("%s has the call %d", tt.event, n)
			}
		}
	}
	for _, event := range []string{"", "sleep", "syscall:", "syscall:opened", "syscall:70000", "throw:x"} {
		if CheckCatch(event) == nil {
			t.Errorf("%q is accepted", event)
		}
	}
}

// A site is named as its client has named it.
func TestSiteString(t *testing.T) {
	for want, site := range map[string]Site{
		"0x10": {Address: 16}, "f": {Function: "f"}, "f.c:3": {File: "f.c", Line: 3}, "f.c": {File: "f.c", Expected: "x"}, "throw": {Catch: "throw"},
	} {
		if got := site.String(); got != want || site.named() != !strings.HasPrefix(want, "0x") {
			t.Errorf("%+v: %q, named %t", site, got, site.named())
		}
	}
}

// A line is found by its text, in which white space does not count.
func TestLinesWith(t *testing.T) {
	lines := []string{"int  x;", "\tx = 1;", "y = 2; x =  1;", ""}
	for text, want := range map[string]int{"x = 1;": 2, "  x\t=\n1 ": 2, "int x": 1, "z": 0} {
		if got := len(linesWith(lines, text)); got != want {
			t.Errorf("%q: %d lines, want %d", text, got, want)
		}
	}
	for n, want := range map[int]string{1: `; line 1 is "int  x;"`, 2: `; line 2 is "x = 1;"`, 0: "", 5: "", -1: ""} {
		if got := lineIs(lines, n); got != want {
			t.Errorf("line %d: %q, want %q", n, got, want)
		}
	}
}

// Of a bit-field only its bits are seen: bits 3 to 6 and bit 9 of 0x25b are 1011 and 1.
func TestWatchedBits(t *testing.T) {
	w := Watch{Size: 2, Mask: []byte{0b0111_1000, 0b10}}
	for value, want := range map[[2]byte]string{{0x5b, 0x02}: "0x1b", {0xff, 0xff}: "0x1f", {0x87, 0xfd}: "0x00"} {
		if got := w.Shown(value[:]); got != want {
			t.Errorf("%x: %s, want %s", value, got, want)
		}
	}
	if got := (&Watch{Size: 4}).Shown([]byte{1, 2, 3, 4}); got != "0x04030201" {
		t.Errorf("without a mask: %s", got)
	}
	if got := LittleEndian(make([]byte, maxShown+1)); got != "65 bytes" {
		t.Errorf("much memory: %s", got)
	}
	if got := (&Watch{Shared: []string{"a", "b"}}).Note() + (&Watch{}).Note(); got != "The same bytes hold a, b." {
		t.Errorf("%q", got)
	}
}
