package recording_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

const (
	sampleLength = 4000 // instructions of a sample
	sampleChunk  = 200  // instructions at most between two comparisons of registers
)

// compareSteps executes samples of a recording translated, and by single steps of the
// processor. All registers are the same after each chunk of instructions, and the memory at the
// end of each sample.
func compareSteps(t *testing.T, file []byte, samples int) {
	t.Helper()
	r := open(t, file)
	random := rand.New(rand.NewPCG(2, uint64(r.End())))
	first := firstOfLast(r)
	starts := make([]uint64, samples)
	for n := range starts {
		starts[n] = first + random.Uint64N(r.End()-first)
	}
	slices.Sort(starts)
	total := uint64(0)
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		for _, start := range starts {
			if start < p.Position() { // in the sample before
				continue
			}
			if err = p.RunTo(t.Context(), start); err != nil {
				break
			}
			n, sampled := compareSample(t, &steps{tracer: tracer, recording: r, player: p}, min(start+sampleLength, r.End()), random)
			if total += n; sampled != nil {
				err = fmt.Errorf("sample at %d: %w", start, sampled)
				break
			}
		}
		return errors.Join(err, p.Close())
	})
	if t.Logf("%d instructions by single steps", total); total == 0 {
		t.Error("no instruction was compared")
	}
}

// compareSample compares the execution of a Player with that of a fork of it by single steps.
func compareSample(t *testing.T, s *steps, end uint64, random *rand.Rand) (uint64, error) {
	t.Helper()
	var err error
	if s.other, err = s.player.Fork(); err != nil {
		return 0, err
	}
	n, err := s.lockstep(t.Context(), end, func() uint64 { return 1 + random.Uint64N(sampleChunk) })
	if err == nil {
		err = sameMemory(s.player, s.other)
	}
	return n, errors.Join(err, s.other.EndProcess())
}

// sameMemory compares the writable memory of two Players.
func sameMemory(p, other *replay.Player) error {
	mine, err := mappings(p)
	others, err2 := mappings(other)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	ranges := func(maps procfs.Maps) (list []ptrace.Range) {
		for _, m := range maps {
			list = ptrace.AppendRange(list, ptrace.Range{Start: m.Start, End: m.End})
		}
		return list
	}
	if a, b := ranges(mine), ranges(others); !slices.Equal(a, b) {
		return fmt.Errorf("mappings %x translated, and %x by steps", a, b)
	}
	left := uint64(compared)
	a, b := make([]byte, 1<<16), make([]byte, 1<<16)
	for _, m := range slices.Backward(mine) { // the stack first
		for at := m.Start; at < m.End && left > 0; {
			size := min(uint64(len(a)), m.End-at, left)
			n, _ := p.Memory().Read(at, a[:size]) // to the end of the file
			k, _ := other.Memory().Read(at, b[:size])
			if !bytes.Equal(a[:n], b[:k]) {
				return differences(at, a[:n], b[:k])
			}
			at, left = at+size, left-size
		}
	}
	return nil
}

// differences returns an error with the first words in which memory differs.
func differences(at uint64, a, b []byte) error {
	var list []error
	for n := 0; n+8 <= min(len(a), len(b)) && len(list) < 8; n += 8 {
		if !bytes.Equal(a[n:n+8], b[n:n+8]) {
			list = append(list, fmt.Errorf("memory at %#x has % x translated, and % x by steps", at+uint64(n), a[n:n+8], b[n:n+8]))
		}
	}
	return errors.Join(append(list, fmt.Errorf("%d and %d bytes at %#x", len(a), len(b), at))...)
}
