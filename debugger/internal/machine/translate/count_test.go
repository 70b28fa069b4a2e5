package translate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/translate"
)

// branchy is mov eax, [rdi]; cmp eax, 1; je +0x20; mov ecx, eax; test ecx, ecx; jne +0x20; hlt.
const branchy = "8b07 83f801 7420 89c1 85c9 7520 f4"

// TestCountsBeforeComparisons makes sure that instructions are counted where the flags are
// dead, with another counter each time, so that the program leaves the block without more code.
func TestCountsBeforeComparisons(t *testing.T) {
	b := block(t, branchy, 0)
	want := []string{
		"mov eax, [rdi]", "sub qword ptr " + counter(0) + ", 3", "js 0x20020000", "cmp eax, 1", "je 0x20020023",
		"mov ecx, eax", "sub qword ptr " + counter(1) + ", 3", "js 0x20020046", "test ecx, ecx", "jne 0x20020069", "jmp 0x2002008c",
	}
	if diff := cmp.Diff(want, lines(b.Hot, hot)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	targets := []uint64{original + 2, original + 9} // the comparisons
	for _, e := range b.Exits {
		switch {
		case e.Kind == translate.ExitLeft && (e.Target != targets[e.Counter] || e.Undone != 2):
			t.Errorf("the exit before a comparison: %+v", e)
		case e.Kind == translate.ExitBranch && (e.Link < hot || e.Link >= hot+uint64(len(b.Hot))):
			t.Errorf("no jump of the hot code leads to %#x", e.Target)
		}
	}
}

// TestUndone compares what the positions of a block say with the instructions that are
// counted and executed before each.
func TestUndone(t *testing.T) {
	b := block(t, branchy, 0)
	var got []translate.Position
	for _, p := range b.Positions {
		got = append(got, translate.Position{PC: p.PC - original, Undone: p.Undone, Counting: p.Counting})
	}
	want := []translate.Position{
		{PC: 0}, {PC: 2, Undone: -1}, {PC: 2, Undone: 2, Counting: true}, {PC: 2, Undone: 2}, {PC: 5, Undone: 1},
		{PC: 7}, {PC: 9, Undone: -1}, {PC: 9, Undone: 2, Counting: true}, {PC: 9, Undone: 2}, {PC: 11, Undone: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestAllCountsAreChecked makes sure that a block checks each counter that it subtracts from.
// One that is only subtracted from could go far below zero while the others last.
func TestAllCountsAreChecked(t *testing.T) {
	code := strings.Repeat("90 83f801 7470 ", 30) + "f4" // nop; cmp eax, 1; je
	b := block(t, code, 0)
	all := lines(b.Hot, hot)
	counts := 0
	for n, line := range all {
		if strings.HasPrefix(line, "sub") {
			if counts++; !strings.HasPrefix(all[n+1], "js") {
				t.Errorf("%s is followed by %s", line, all[n+1])
			}
		}
	}
	if counts < 4 || b.Count < 40 {
		t.Errorf("%d counts of %d instructions", counts, b.Count)
	}
}

// TestOnce makes sure that a block that is executed once checks nothing and searches nothing.
func TestOnce(t *testing.T) {
	b := translate.Translate(translate.Request{
		PC: original, Fetch: program(t, "31c0 c3"), Hot: hot, Cold: cold, Stubs: stubs, Once: true,
	})
	want := []string{"sub qword ptr " + counter(0) + ", 2", "xor eax, eax", "jmp 0x20020000"}
	if diff := cmp.Diff(want, lines(b.Hot, hot)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !slices.ContainsFunc(b.Exits, func(e translate.Exit) bool {
		return e.Kind == translate.ExitIndirect && e.Target == original+2 && e.Undone == 1
	}) {
		t.Errorf("exits: %+v", b.Exits)
	}
}

// TestLeft sets and reads the number of instructions that are left, which counters share.
func TestLeft(t *testing.T) {
	c := make(translate.Context, translate.ContextSize)
	word := func(counter uint8) []byte { return c[512+8*int(counter):] }
	for _, n := range []int64{0, 1, 64, translate.Shortest, 1000, 1 << 22, translate.MaxLeft} {
		for counter := range uint8(4) {
			c.SetLeft(n)
			c.Leave()
			c.Leave()
			if c.Left() != n {
				t.Errorf("%d instructions are left when the thread is to leave, want %d", c.Left(), n)
			}
			if last := word(counter)[7]; last&0x80 == 0 {
				t.Errorf("counter %d is not negative when the thread is to leave", counter)
			}
			c.SetLeft(c.Left())
			if c.Ensure(counter); c.Left() != n {
				t.Errorf("%d instructions are left, want %d", c.Left(), n)
			}
			if value := int64(word(counter)[0]) | int64(word(counter)[1])<<8; n == translate.Shortest && value < 100 {
				t.Errorf("counter %d has %d instructions", counter, value)
			}
		}
	}
}

// TestLeftFollowsUse counts with one counter only, and makes sure that the others do not keep
// the instructions for long.
func TestLeftFollowsUse(t *testing.T) {
	c := make(translate.Context, translate.ContextSize)
	c.SetLeft(1 << 22)
	exits := 0
	for c.Left() > translate.Shortest {
		for n := range 8 {
			c[512+16+n] = 0
		}
		c.SetLeft(c.Left())
		c.Ensure(2)
		if exits++; exits > 20 {
			t.Fatalf("%d instructions are left after %d exits", c.Left(), exits)
		}
	}
}
