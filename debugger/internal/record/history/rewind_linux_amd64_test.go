package history_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A process that was rewound does again what it did, and comes to where it was.
func TestRewind(t *testing.T) {
	const half = 40
	path := build(t, "-O1")
	for _, part := range []string{"text", "numbers", "vectors", "repeats"} {
		t.Run(part, func(t *testing.T) {
			s := start(t, path, part)
			r := s.recorder(history.Options{})
			h := r.History()
			if _, err := r.Step(t.Context(), 0, half); err != nil {
				t.Fatal(err)
			}
			middle := s.stepProcess(half, 0)
			result, err := r.Run(t.Context(), 0, history.Limits{Time: time.Minute, Until: s.atEnd})
			if err != nil || result.Why != history.ConditionMet {
				t.Fatalf("%+v, %v", result, err)
			}
			end := s.stepProcess(h.End(), 0)
			for range 2 {
				if _, err := h.Seek(half); err != nil {
					t.Fatal(err)
				}
				if err := r.Rewind(t.Context()); err != nil {
					t.Fatal(err)
				}
				if h.End() != half || !h.View().Present() {
					t.Fatalf("the present is %d, %v", h.End(), h.View().Present())
				}
				s.requireSame(h.View(), middle)
				if result, err = r.Run(t.Context(), 0, history.Limits{Time: time.Minute, Until: s.atEnd}); err != nil || result.Why != history.ConditionMet {
					t.Fatalf("%+v, %v", result, err)
				}
				s.requireSame(h.View(), end)
			}
			s.there(r, []moment{middle, end})
			s.requireUnharmed()
		})
	}
}

// What cannot be made undone is refused, and the process is as it was.
func TestRewindRefused(t *testing.T) {
	s := start(t, build(t, "-O1"), "memory")
	r := s.recorder(history.Options{})
	before := len(r.History().View().Maps())
	result, err := r.Run(t.Context(), 0, history.Limits{Time: time.Minute, Until: func(v *history.View) bool { return len(v.Maps()) != before }})
	if err != nil || result.Why != history.ConditionMet {
		t.Fatalf("%+v, %v", result, err)
	}
	now := s.stepProcess(result.Position, 0)
	if _, err := r.History().Seek(0); err != nil {
		t.Fatal(err)
	}
	if _, refused := errors.AsType[*history.RewindError](r.Rewind(t.Context())); !refused {
		t.Error("it was rewound")
	}
	if _, err := r.History().Seek(result.Position); err != nil {
		t.Fatal(err)
	}
	s.requireSame(r.History().View(), now)
}

// The mappings are known without asking for them, whatever moment is looked at,
// until the process runs unseen.
func TestMappings(t *testing.T) {
	s := start(t, build(t, "-O1"), "memory")
	r := s.recorder(history.Options{})
	require := func() {
		t.Helper()
		want, err := s.process.Maps()
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := r.Mappings(); !ok || !slices.Equal(withoutStack(got), withoutStack(want)) {
			t.Errorf("the mappings are %v (%v), want %v", got, ok, want)
		}
	}
	require()
	before := len(r.History().View().Maps())
	changed := func(v *history.View) bool { return len(v.Maps()) != before }
	if result, err := r.Run(t.Context(), 0, history.Limits{Time: time.Minute, Until: changed}); err != nil || result.Why != history.ConditionMet {
		t.Fatalf("%+v, %v", result, err)
	}
	require()
	if _, err := r.History().Seek(0); err != nil {
		t.Fatal(err)
	}
	require()
	s.breakAt(s.end)
	if _, err := r.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	require()
}

// withoutStack leaves out what grows by itself.
func withoutStack(maps procfs.Maps) procfs.Maps {
	return slices.DeleteFunc(slices.Clone(maps), func(m procfs.Map) bool { return m.Path == "[stack]" })
}

// Whatever went out of the process is listed.
func TestSince(t *testing.T) {
	s := start(t, build(t, "-O1"), "memory")
	r := s.recorder(history.Options{})
	if _, err := r.Run(t.Context(), 0, history.Limits{Time: time.Minute, Until: s.atEnd}); err != nil {
		t.Fatal(err)
	}
	h := r.History()
	if effects, err := h.Steps.SideEffects(t.Context()); err != nil || len(effects) != 0 {
		t.Errorf("at the present: %v, %v", effects, err)
	}
	if _, err := h.Seek(0); err != nil {
		t.Fatal(err)
	}
	effects, err := h.Steps.SideEffects(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	opened := slices.ContainsFunc(effects, func(d history.SideEffect) bool {
		return d.What == "open" || d.What == "openat" || d.What == "memfd_create"
	})
	mapped := slices.ContainsFunc(effects, func(d history.SideEffect) bool { return d.What == "mmap" || d.What == "munmap" })
	if !opened || mapped {
		t.Errorf("%v, want files that were opened, and no mappings", effects)
	}
}
