package debugger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// openRecorded records a program until it ends and opens the recording.
func openRecorded(t *testing.T, path string, arguments ...string) (c *client, pid int) {
	t.Helper()
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "recording"))
	if err != nil {
		t.Fatal(err)
	}
	program := debugger.RecordedProgram{Path: path, Args: append([]string{path}, arguments...)}
	if _, err := debugger.RecordProgram(t.Context(), program, file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	c = connect(t, table(t, debugger.Config{Traces: []string{dir}}))
	var opened struct{ State struct{ PID int } }
	c.data("open_trace", args{"file": "recording"}, &opened)
	return c, opened.State.PID
}

// A blockWant holds the answer that heap_block must give for an address.
type blockWant struct {
	address            string
	offset, size       uint64
	status, alloc, end string // functions on the stacks of both calls, "" without one
}

// A heapEvent is a call in an answer of heap_block.
type heapEvent struct {
	Position uint64
	Thread   int
	Frames   []struct{ Function string }
}

// on reports whether a function is on the stack of a call; "" wants no call.
func (e *heapEvent) on(function string) bool {
	if e == nil || function == "" {
		return e == nil && function == ""
	}
	return slices.ContainsFunc(e.Frames, func(f struct{ Function string }) bool {
		return f.Function == function || strings.HasSuffix(f.Function, "::"+function)
	})
}

// blocks fails the test unless heap_block says what is wanted.
func blocks(t *testing.T, c *client, all []blockWant) {
	t.Helper()
	for _, want := range all {
		var got struct {
			Found            bool
			Size, Offset     uint64
			Status           string
			Allocated, Freed *heapEvent
		}
		c.data("heap_block", args{"address": want.address}, &got)
		if !got.Found || got.Size != want.size || got.Offset != want.offset || got.Status != want.status {
			t.Errorf("%s: %+v, want %+v", want.address, got, want)
		}
		if !got.Allocated.on(want.alloc) || !got.Freed.on(want.end) {
			t.Errorf("%s: allocated %+v, freed %+v, want %+v", want.address, got.Allocated, got.Freed, want)
		}
		if got.Allocated != nil && got.Freed != nil && got.Freed.Position < got.Allocated.Position {
			t.Errorf("%s: freed before it is allocated", want.address)
		}
	}
}

// blocksOfC are the blocks of blocks.c; its sizes are in the source.
var blocksOfC = []blockWant{
	{"in_use + 10", 10, 100, "allocated", "make", ""}, {"zeroed + 209", 209, 210, "allocated", "main", ""},
	{"before_grown", 0, 40, "freed", "main", "main"}, {"grown + 4999", 4999, 5000, "allocated", "main", ""},
	{"aligned + 1", 1, 500, "allocated", "main", ""}, {"aligned_11", 0, 640, "allocated", "main", ""},
	{"old_aligned + 299", 299, 300, "allocated", "main", ""}, {"large + 1000", 1000, 1 << 20, "allocated", "make", ""},
	{"copied", 0, 7, "allocated", "main", ""}, {"again + 23", 23, 24, "allocated", "make", ""},
	{"in_thread", 0, 200, "allocated", "allocate", ""},
}

// The block of an address is that of the call which has allocated it last, with glibc.
func TestHeapBlock(t *testing.T) {
	sample.Alone(t)
	c, pid := openRecorded(t, debuggertest.Build(t, "blocks.c"))
	blocks(t, c, blocksOfC)

	var got struct{ Allocated heapEvent }
	c.data("heap_block", args{"address": "in_thread"}, &got)
	if got.Allocated.Thread == pid {
		t.Error("the thread that has allocated is the main one")
	}
	contains(t, c.ok("heap_block", args{"address": "&in_use"}), "No block that holds 0x", "recorded calls of allocators since position 0")

	// Each of the thousand blocks that were freed before is the same: the last one counts, and
	// in the past the one of then.
	c.data("heap_block", args{"address": "again"}, &got)
	c.ok("seek", args{"position": got.Allocated.Position})
	blocks(t, c, []blockWant{{"copied", 0, 7, "allocated", "main", ""}, {"before_grown", 0, 40, "freed", "main", "main"}})
	c.ok("set_breakpoint", args{"function": "drop"})
	c.ok("reverse_continue", nil)
	blocks(t, c, []blockWant{{"p", 0, 24, "allocated", "make", ""}})
	c.ok("reverse_continue", nil)
	contains(t, c.ok("heap_block", args{"address": "p"}), ": allocated\n")
	c.ok("seek", args{"position": 0})
	contains(t, c.ok("heap_block", args{"address": "0x1000"}), "No block", "0 recorded calls")
}

// With musl, whose functions cannot be unwound, the function that was called is known.
func TestHeapBlockWithMusl(t *testing.T) {
	sample.Alone(t)
	c, _ := openRecorded(t, debuggertest.Compile(t, debuggertest.Source("blocks.c"), nil, "musl-gcc", "-g", "-O0"))
	for _, each := range blocksOfC {
		var got struct {
			Found        bool
			Size, Offset uint64
			Status       string
		}
		c.data("heap_block", args{"address": each.address}, &got)
		if !got.Found || got.Size != each.size || got.Offset != each.offset || got.Status != each.status {
			t.Errorf("%s: %+v, want %+v", each.address, got, each)
		}
	}
}

// Operators of C++ allocate by malloc, those of a class within its blocks.
func TestHeapBlockOfCPP(t *testing.T) {
	sample.Alone(t)
	c, _ := openRecorded(t, debuggertest.Build(t, "blocks.cc"))
	blocks(t, c, []blockWant{
		{"&kept->next", 8, 16, "allocated", "main", ""}, {"deleted", 0, 16, "freed", "main", "main"}, {"&numbers[99]", 396, 400, "allocated", "main", ""},
		{"second", 40, 4000, "allocated", "Pooled::operator new", ""}, {"element", 100, 200, "allocated", "main", ""}, {"text", 0, 301, "allocated", "main", ""},
	})
}

// Rust's allocator is that of the C library, below functions of Rust.
func TestHeapBlockOfRust(t *testing.T) {
	sample.Alone(t)
	c, _ := openRecorded(t, debuggertest.Compile(t, debuggertest.Source("blocks.rs"), nil, "rustc", "-g"))
	blocks(t, c, []blockWant{
		{word(c, "BOXED", 8), 8, 160, "allocated", "boxed", ""}, {word(c, "DROPPED", 0), 0, 160, "freed", "boxed", "forget"},
		{word(c, "VECTOR", 3999), 3999, 4000, "allocated", "main", ""},
	})
}

// word returns the address in a variable of blocks.rs, with an offset.
func word(c *client, name string, offset int) string {
	c.t.Helper()
	return "*(unsigned long *)&blocks::" + name + fmt.Sprintf(" + %d", offset)
}

// Go's runtime allocates by functions of its own, and frees without a call.
func TestHeapBlockOfGo(t *testing.T) {
	sample.Alone(t)
	c, _ := openRecorded(t, debuggertest.Build(t, "goblocks/goblocks.go"))
	blocks(t, c, []blockWant{
		{"&main.kept.next", 8, 136, "unknown", "main.makeNode", ""}, {"&main.numbers[499]", 3992, 4000, "unknown", "main.makeNumbers", ""},
	})
	contains(t, c.ok("heap_block", args{"address": "&main.kept.next"}), "Go's garbage collector frees blocks without a call")
}

// Without a history glibc's headers say where the block is, and no more.
func TestHeapBlockWithoutHistory(t *testing.T) {
	sample.Alone(t)
	path := debuggertest.Build(t, "blocks.c")
	c := connect(t, table(t, debugger.Config{}))
	c.ok("launch", args{"path": path})
	contains(t, c.fails("heap_block", args{"address": "&in_use"}, -32007), "continue with record")
	c.ok("set_breakpoint", args{"function": "allocate"})
	c.ok("continue", nil)
	var got struct {
		Size, Offset uint64
		Status       string
		Notes        []string
	}
	c.data("heap_block", args{"address": "in_use + 10"}, &got)
	if got.Size != 104 || got.Offset != 10 || got.Status != "unknown" || len(got.Notes) == 0 { // a chunk of 112 bytes
		t.Errorf("%+v", got)
	}
}
