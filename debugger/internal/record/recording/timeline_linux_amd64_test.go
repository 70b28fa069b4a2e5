package recording_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// A state has the registers of a position and some memory.
type state struct {
	regs  ptrace.Regs
	stack []byte
}

// TestSeeks goes to random positions of recordings. The state there is the one that a
// replay passes which runs forward only.
func TestSeeks(t *testing.T) {
	sample.Alone(t)
	thrower := debuggertest.Build(t, "thrower.cc", "-O2")
	inputs := debuggertest.Compile(t, filepath.Join("testdata", "inputs.c"), nil, "gcc", "-O1")
	programs, seeks := [][]string{{"sort", "--parallel=1", "/etc/services"}, {thrower}, {inputs}}, sample.Count(3, 10)
	if long := os.Getenv("RECORDING_PROGRAM"); long != "" { // arguments separated by |
		programs, seeks = [][]string{strings.Split(long, "|")}, 200
	}
	for _, argv := range programs {
		t.Run(argv[0], func(t *testing.T) {
			sample.Case(t)
			r := open(t, record(t, argv...).file)
			line := timeline(t, r)
			random := rand.New(rand.NewPCG(1, uint64(r.End())))
			want := map[uint64]state{}
			for range seeks {
				want[random.Uint64N(r.End())] = state{}
			}
			pass(t, r, want)
			for position, w := range want { // in any order
				if _, err := line.History().Seek(position); err != nil {
					t.Fatal(err)
				}
				v := line.History().View()
				got := state{stack: make([]byte, len(w.stack))}
				got.regs, _ = v.Regs(0)
				if _, err := v.ReadMemory(got.regs.RSP, got.stack); err != nil {
					t.Fatal(err)
				}
				got.regs.EFlags, got.regs.OrigRAX = w.regs.EFlags, w.regs.OrigRAX // a translated replay clears dead flags
				if v.Position() != position || got.regs != w.regs || !bytes.Equal(got.stack, w.stack) {
					t.Errorf("position %d: %+v, want %+v", position, got.regs, w.regs)
				}
			}
		})
	}
}

func timeline(t *testing.T, r *recfile.Recording) *replay.Timeline {
	t.Helper()
	line, err := replay.NewTimeline(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := line.Close(); err != nil {
			t.Error(err)
		}
	})
	return line
}

// pass replays a recording and fills in the states at some positions.
func pass(t *testing.T, r *recfile.Recording, states map[uint64]state) {
	t.Helper()
	onTracer(t, func(tracer *ptrace.Tracer) error {
		p, err := replay.NewPlayer(tracer, r)
		if err != nil {
			return err
		}
		for _, position := range sorted(states) {
			if err := p.RunTo(t.Context(), position); err != nil {
				return errors.Join(err, p.Close())
			}
			s := state{regs: p.Regs(), stack: make([]byte, 64)}
			if _, err := p.Memory().Read(s.regs.RSP, s.stack); err != nil {
				return errors.Join(err, p.Close())
			}
			states[position] = s
		}
		return errors.Join(p.Finish(t.Context()), p.Close())
	})
}

func sorted(states map[uint64]state) []uint64 { return slices.Sorted(maps.Keys(states)) }
