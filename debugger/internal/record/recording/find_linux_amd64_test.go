package recording_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/inplace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// TestFinds asks random questions of recordings. Replays and records give the same answers.
func TestFinds(t *testing.T) {
	sample.Alone(t)
	program := debuggertest.Compile(t, filepath.Join("testdata", "writes.c"), nil, "gcc", "-O2", "-pthread")
	questions, rounds := sample.Count(4, 8), "100"
	if long, err := strconv.Atoi(os.Getenv("RECORDING_QUESTIONS")); err == nil {
		questions, rounds = long, "3000"
	}
	r := record(t, program, rounds)
	if r.result.Status != 0 || r.result.Cut != "" {
		t.Fatalf("%+v", r.result)
	}
	file := open(t, r.file)
	line, err := timelineOf(t.Context(), file, 1<<14, file.End()/4)
	check(t, err)
	t.Cleanup(func() { check(t, line.Close()) })
	by := &finder{Timeline: line}
	found, err := history.Long(by, "")
	check(t, err)
	plain := timeline(t, file).History()
	check(t, err)
	places := addresses(t, string(r.output))
	for _, once := range places[1:3] { // written long before the end
		ask(t, found, plain, file.End(), x86.Span{Addr: once, Len: 8}, places[len(places)-1], 0)
	}
	random := rand.New(rand.NewPCG(7, file.End()))
	for range questions {
		position := random.Uint64N(file.End() + 1)
		question := x86.Span{Addr: places[random.IntN(len(places)-1)] + random.Uint64N(40), Len: 1 + random.Uint64N(24)}
		ask(t, found, plain, position, question, places[len(places)-1], random.IntN(3))
		compareTransitions(t, found, plain, random.Uint64N(file.End()))
	}
	if by.asked == 0 {
		t.Error("no question was answered by a replay")
	}
	if by.exact == 0 && watches(t, file) {
		t.Errorf("none of %d questions was answered by watching memory", by.asked)
	}
}

// A finder is a Timeline that counts what it is asked, and whose windows are of little use.
type finder struct {
	*replay.Timeline
	asked int
	exact int // of them answered with another position than where a look at all records begins
}

func (f *finder) Last(ctx context.Context, places *history.Places, from, to uint64) (uint64, bool, error) {
	f.asked++
	at, ok, err := f.Timeline.Last(ctx, places, from, to)
	if ok != (to > from) || ok && at != to-1 {
		f.exact++
	}
	return at, ok, err
}

// watches reports whether the system lets a process be watched by the processor.
func watches(t *testing.T, r *recfile.Recording) (ok bool) {
	t.Helper()
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		at := p.Regs().RSP &^ 7
		err = p.Runner().Watch.Writes([]ptrace.Range{{Start: at, End: at + 8}}, 1)
		if ok = err == nil; errors.Is(err, inplace.ErrNotWatched) {
			err = nil
		}
		return errors.Join(err, p.Close())
	})
	return ok
}

// addresses parses the line of addresses that the program prints.
func addresses(t *testing.T, output string) (list []uint64) {
	t.Helper()
	for field := range strings.FieldsSeq(output) {
		n, err := strconv.ParseUint(strings.TrimPrefix(field, "0x"), 16, 64)
		check(t, err)
		list = append(list, n)
	}
	return list
}

// ask asks both histories the same question, at a position.
func ask(t *testing.T, found, plain *history.History, position uint64, memory x86.Span, pc uint64, kind int) {
	t.Helper()
	for _, h := range []*history.History{found, plain} {
		if _, err := h.Seek(position); err != nil {
			t.Fatal(err)
		}
	}
	if kind == 0 {
		got, gotOK, err := found.Steps.LastWrite(t.Context(), memory.Addr, memory.Len)
		check(t, err)
		want, wantOK, err := plain.Steps.LastWrite(t.Context(), memory.Addr, memory.Len)
		check(t, err)
		if got != want || gotOK != wantOK {
			t.Errorf("last write of %+v before %d: %+v %v, want %+v %v", memory, position, got, gotOK, want, wantOK)
		}
		return
	}
	places := history.Places{Code: []uint64{pc}, Memory: []x86.Span{memory}}
	if kind == 1 {
		hit := func(h *history.History) func(v *history.View) bool {
			return func(v *history.View) bool {
				return v.PC() == pc || h.Steps.Wrote(v.Position(), memory.Addr, memory.Len)
			}
		}
		got, err := found.ReverseContinueAt(t.Context(), places, hit(found))
		check(t, err)
		want, err := plain.ReverseContinue(t.Context(), hit(plain))
		check(t, err)
		compare(t, "back", found, plain, got, want)
		return
	}
	hit := func(h *history.History) func(v *history.View) bool {
		return func(v *history.View) bool {
			return v.PC() == pc || h.Steps.Wrote(v.Position()-1, memory.Addr, memory.Len)
		}
	}
	got, err := found.ContinueAt(t.Context(), places, hit(found))
	check(t, err)
	want, err := plain.Continue(t.Context(), hit(plain))
	check(t, err)
	compare(t, "forward", found, plain, got, want)
}

// A transition is a history.Transition without the flags, which may be dead ones.
type transition struct {
	position             uint64
	kind                 history.Kind
	thread               int
	pc, sp, after, spNow uint64
	memory, result       bool
}

// compareTransitions compares what two histories tell of some records around a position.
func compareTransitions(t *testing.T, found, plain *history.History, position uint64) {
	t.Helper()
	const records = 30_000 // in two windows or more
	var got, want []transition
	for h, list := range map[*history.History]*[]transition{found: &got, plain: &want} {
		add := func(n *history.Transition) bool {
			*list = append(*list, transition{n.Position, n.Kind, n.Thread, n.PC, n.SP, n.NextPC, n.NextSP, n.Memory, n.Changed(x86.RAX)})
			return len(*list)%records != 0
		}
		check(t, h.Steps.Transitions(t.Context(), position, h.End(), add))
		check(t, h.Steps.TransitionsBack(t.Context(), position, add))
	}
	for n := range max(len(got), len(want)) {
		if n >= len(got) || n >= len(want) || got[n] != want[n] {
			t.Errorf("record %d of %d, want %d, from position %d: %+v, want %+v", n, len(got), len(want), position, got[n], want[n])
			return
		}
	}
}

// compare compares the positions of two histories after a search.
func compare(t *testing.T, what string, found, plain *history.History, got, want bool) {
	t.Helper()
	f, p := found.View(), plain.View()
	a, _ := f.Regs(0)
	b, _ := p.Regs(0)
	if got != want || f.Position() != p.Position() || f.Thread() != p.Thread() || a != b {
		t.Errorf("%s: %v at %d in thread %d, want %v at %d in thread %d", what, got, f.Position(), f.Thread(), want, p.Position(), p.Thread())
	}
}
