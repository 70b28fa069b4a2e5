package debugger_test

import (
	"debug/elf"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
)

// A findAnswer is the structured answer of find.
type findAnswer struct {
	Found []struct {
		Address, Name, File, Module, Memory string
		Line                                int
	}
	Total int
	Next  string
}

// find calls find until there is no next page.
func (c *client) find(kind, pattern string) (all findAnswer) {
	c.t.Helper()
	for from := ""; ; {
		var page findAnswer
		c.data("find", args{"kind": kind, "pattern": pattern, "from": from}, &page)
		all.Found, all.Total = append(all.Found, page.Found...), page.Total
		if from = page.Next; from == "" {
			return all
		}
	}
}

// addresses returns the addresses of an answer.
func (f findAnswer) addresses() (all []string) {
	for _, each := range f.Found {
		all = append(all, each.Address)
	}
	return all
}

// occurrences reads the memory of a process through the kernel and searches it.
func occurrences(t *testing.T, pid int, pattern string) (all []string) {
	t.Helper()
	file, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	maps, err := procfs.ParseMaps(file)
	if err != nil {
		t.Fatal(err)
	}
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = memory.Close() }()
	for _, m := range maps {
		if !m.Read || m.Path == "[vvar]" || m.Path == "[vsyscall]" {
			continue
		}
		data := make([]byte, m.End-m.Start)
		n, _ := memory.ReadAt(data, int64(m.Start)) // parts of some mappings cannot be read
		text := string(data[:n])
		for from := 0; ; {
			i := strings.Index(text[from:], pattern)
			if i < 0 {
				break
			}
			all = append(all, fmt.Sprintf("%#x", m.Start+uint64(from+i)))
			from += i + 1
		}
	}
	return all
}

// Bytes in memory are found where the kernel has them, page by page, with the names of
// what they are in.
func TestFindMemory(t *testing.T) {
	c, p := stopped(t, "visit")
	for _, tt := range []struct{ kind, pattern, bytes string }{
		{"text", "shapes", "shapes"}, {"hex", "0102 feff", "\x01\x02\xfe\xff"}, {"text", "ea", "ea"},
	} {
		got, want := c.find(tt.kind, tt.pattern).addresses(), occurrences(t, p.PID, tt.bytes)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s %q: %d places, the kernel has %d", tt.kind, tt.pattern, len(got), len(want))
		}
	}
	contains(t, c.ok("find", args{"kind": "hex", "pattern": "0102feff"}), "  bytes  ")
	contains(t, c.ok("find", args{"kind": "pointer", "pattern": "title"}), "  title  ")
	c.fails("find", args{"kind": "hex", "pattern": "0"}, -32602)
	c.fails("find", args{"kind": "text", "pattern": "a", "from": "b"}, -32602)
	c.fails("find", args{"kind": "line", "pattern": "a"}, -32602)
}

// Functions and variables have the addresses that the symbol table of the program
// says, and types are found as its source has them.
func TestFindNames(t *testing.T) {
	c, p := stopped(t, "visit")
	file, err := elf.Open(p.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	main := p.Symbol("main")
	var base uint64
	for _, s := range symbols {
		if s.Name == "main" {
			base = main - s.Value
		}
	}
	for _, s := range symbols {
		kind := map[elf.SymType]string{elf.STT_FUNC: "function", elf.STT_OBJECT: "variable"}[elf.ST_TYPE(s.Info)]
		if kind == "" || s.Section == elf.SHN_UNDEF || strings.Contains(s.Name, "@") {
			continue
		}
		if got := c.find(kind, s.Name).addresses(); !slices.Contains(got, fmt.Sprintf("%#x", s.Value+base)) {
			t.Errorf("%s %s: %q, want %#x", kind, s.Name, got, s.Value+base)
		}
	}
	contains(t, c.ok("find", args{"kind": "function", "pattern": "visi?"}), "1 result\n", " visit ", "shapes.c:"+strconv.Itoa(line(t, "return")+3))
	contains(t, c.ok("find", args{"kind": "type", "pattern": "node"}), "\nnode ")
	contains(t, c.ok("find", args{"kind": "module", "pattern": "libc.so"}), "1 result\n", " build ")
	contains(t, c.ok("find", args{"kind": "type", "pattern": "no such type"}), "0 results")
}

// In the past, memory has what it had: before the stray write, the owner is a pointer
// to its name. The values of each call are collected through the same tools, and to
// run on needs the scope of writing.
func TestFindAndCollectInPast(t *testing.T) {
	_, path := recordtest.Build(t, "../internal/session/calltrace/testdata/stray.c", "-O0")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	c.ok("set_breakpoint", args{"function": "walk", "one_shot": true})
	collected := c.ok("collect", args{"run": "record", "points": []args{{"at": "store", "expressions": []string{"slot", "s->owner"}, "condition": "slot > 6"}}})
	contains(t, collected, "store: 8 hits\n", `slot = 7, s->owner = 0x`, "\nStopped at breakpoint 1 (")
	contains(t, c.ok("collect", args{"limit": 2, "points": []args{{"at": "store", "expressions": []string{"slot"}}}}),
		"store: 8 hits\n@", "slot = 0\n@", "slot = 1\n(continued with from ")
	contains(t, c.fails("collect", args{"points": []args{{"at": "store", "expressions": []string{"nope"}}}}, -32006), `the expression "nope" cannot be evaluated there`)
	c.fails("collect", args{"run": "free", "from": 1, "points": []args{{"at": "store", "expressions": []string{"slot"}}}}, -32602)

	c.ok("continue", args{"record": true})
	const pattern = "6b000000 00000000 6c000000 00000000" // the eighth price and the ninth, behind the array
	last := c.find("hex", pattern)
	c.ok("seek", args{"position": 0})
	if first := c.find("hex", pattern); len(first.Found) >= len(last.Found) {
		t.Errorf("%d places have the price before it was written, %d after", len(first.Found), len(last.Found))
	}
	c.fails("collect", args{"run": "free", "points": []args{{"at": "store", "expressions": []string{"slot"}}}}, -1)
}

// What is masked is not found: a search for the beginning of a secret would tell it.
func TestFindMasked(t *testing.T) {
	all := secretTexts(t)
	path, env := keeper(t, all[:1])
	for _, mask := range []string{"off", "on"} {
		c := connect(t, table(t, debugger.Config{Live: debugger.Live{MaskSecrets: mask}}))
		c.ok("launch", args{"path": path, "env": env})
		c.ok("set_breakpoint", args{"function": "stop"})
		c.ok("continue", nil)
		secret := all[0].secret
		for _, part := range []string{secret, secret[:len(secret)-2], secret[2:]} {
			if found := c.find("text", part).Found; len(found) > 0 != (mask == "off") {
				t.Errorf("masks %s: %d places have %q of the secret", mask, len(found), part)
			}
		}
	}
}
