package heap_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest/recordtest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/heap"
)

// Visits are at the same places as hits, where they are so dense that records are read and where
// they are rare, and end where they should.
func TestVisit(t *testing.T) {
	source := filepath.Join(t.TempDir(), "visits.c")
	text := "#include <stdlib.h>\nvolatile int n;\nint main(void) {\n" +
		"for (int i = 0; i < 3000; i++) free(malloc(24));\n" +
		"for (int i = 0; i < 20; i++) { for (int j = 0; j < 200000; j++) n++; free(malloc(i)); }\n" +
		"for (int i = 0; i < 200; i++) free(malloc(i));\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := recordtest.Main(t, debuggertest.Compile(t, source, nil, "gcc", "-O0", "-fno-builtin"))
	code := slices.Sorted(slices.Values(append(s.Inspector.Program.Symbols("malloc", nil), s.Inspector.Program.Symbols("free", nil)...)))
	type place struct {
		position uint64
		thread   int
		pc, sp   uint64
	}
	var hits, visits []place
	h := s.Target.History
	if _, err := h.Steps.Hits(t.Context(), code, history.Stretch{From: h.Oldest(), To: h.End()}, func(hit history.Hit) bool {
		hits = append(hits, place{hit.Position, hit.Thread, hit.PC, hit.SP})
		return true
	}); err != nil {
		t.Fatal(err)
	}
	visit := func(limit int) {
		visits = nil
		if err := s.Timeline.AtPosition(t.Context(), h.End(), func() {
			if _, err := h.Visit(t.Context(), code, history.Stretch{From: h.Oldest(), To: h.End()}, func(_ history.Hit, v *history.View) bool {
				visits = append(visits, place{v.Position(), v.Thread(), v.PC(), v.SP()})
				return len(visits) != limit
			}); err != nil {
				t.Error(err)
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	visit(0)
	if len(hits) < 6400 || !slices.Equal(hits, visits) {
		t.Errorf("%d visits, %d hits", len(visits), len(hits))
	}
	for _, limit := range []int{1, 63, 64, 65, 6010} {
		if visit(limit); !slices.Equal(visits, hits[:limit]) {
			t.Errorf("%d visits, want %d", len(visits), limit)
		}
	}
}

// What is remembered of one question answers others as of their own positions and addresses.
func TestRemembered(t *testing.T) {
	source := filepath.Join(t.TempDir(), "moments.c")
	text := "#include <stdlib.h>\nint main(void) {\nchar *p = malloc(100), *q = malloc(200);\nfree(p);\nfree(q);\nreturn 0;\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := recordtest.Main(t, debuggertest.Compile(t, source, nil, "gcc", "-O0", "-fno-builtin"))
	var blocks []history.Hit
	code := s.Inspector.Program.Symbols("free", nil)
	if _, err := s.Target.History.Steps.Hits(t.Context(), code, history.Stretch{From: s.Target.History.Oldest(), To: s.Target.History.End()}, func(hit history.Hit) bool {
		blocks = append(blocks, hit)
		return len(blocks) < 2
	}); err != nil || len(blocks) != 2 {
		t.Fatalf("%d frees, %v", len(blocks), err)
	}
	find := func(position, addr uint64) *heap.Block {
		if err := s.Timeline.SeekQuietly(position); err != nil {
			t.Fatal(err)
		}
		found, err := heap.Find(t.Context(), s, addr)
		if err != nil {
			t.Fatal(err)
		}
		return found.Block
	}
	argument := func(position uint64) uint64 {
		if err := s.Timeline.SeekQuietly(position); err != nil {
			t.Fatal(err)
		}
		regs, err := s.Target.View.Regs(0)
		if err != nil {
			t.Fatal(err)
		}
		return regs.RDI
	}
	p, q := argument(blocks[0].Position), argument(blocks[1].Position)
	last := blocks[1].Position + 1
	for _, tt := range []struct {
		position, addr, size uint64
		freed                bool
	}{
		{last, p + 50, 100, true}, {last, q, 200, true}, {blocks[1].Position, q + 199, 200, false},
		{blocks[1].Position, p, 100, true}, {blocks[0].Position, p, 100, false}, {last, p, 100, true},
	} {
		b := find(tt.position, tt.addr)
		if b == nil || b.Size != tt.size || (b.Freed != nil) != tt.freed || b.Allocated == nil {
			t.Errorf("at %d, %#x is in %+v, want %d bytes, freed %t", tt.position, tt.addr, b, tt.size, tt.freed)
		}
	}
	made := find(last, p).Allocated.Position
	if b := find(made, p); b != nil {
		t.Errorf("before it is allocated the block is %+v", b)
	}
}

// A counter is a keeper that counts what is saved, and keeps nothing.
type counter struct{ saved int }

func (*counter) Load(string) ([]uint64, bool) { return nil, false }
func (c *counter) Save(string, int, []uint64) { c.saved++ }

// The block that held the address before is found in the calls that were read for the one that
// holds it: in two stretches here, as the block is allocated over two million positions before.
func TestBefore(t *testing.T) {
	source := filepath.Join(t.TempDir(), "before.c")
	text := "#include <stdlib.h>\nvolatile int n;\nchar *volatile p;\nint main(void) {\n" +
		"p = malloc(40);\nfree(p);\np = malloc(39);\nfor (int i = 0; i < 500000; i++) n++;\nreturn 0;\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := recordtest.Main(t, debuggertest.Compile(t, source, nil, "gcc", "-g", "-O0", "-fno-builtin"))
	var saves counter
	s.Target.History.Findings.Keeper = &saves
	p, err := s.Inspector.Address(t.Context(), "p")
	if err != nil {
		t.Fatal(err)
	}
	found, err := heap.Find(t.Context(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	if b := found.Block; b == nil || b.Size != 39 || b.Freed != nil {
		t.Errorf("it is in %+v", b)
	}
	if b := found.Before; b == nil || b.Size != 40 || b.Freed == nil {
		t.Errorf("before, it was in %+v", b)
	}
	if saves.saved != 2 {
		t.Errorf("%d stretches were read", saves.saved)
	}
}
