package history

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A model is a process of one thread that does nothing but change.
type model struct {
	regs   ptrace.Regs
	vector [256]byte
	memory [4 * pageSize]byte // at modelBase
	log    []model            // what it was at each position
	fails  error              // of reads of memory
}

var errNotMapped = errors.New("not mapped")

const modelBase = 0x7000_0000_0000

func (m *model) ReadMemory(addr uint64, b []byte) (int, error) {
	if m.fails != nil {
		return 0, m.fails
	}
	if addr-modelBase >= uint64(len(m.memory)) {
		return 0, errNotMapped
	}
	n := copy(b, m.memory[addr-modelBase:])
	if n < len(b) {
		return n, errNotMapped
	}
	return n, nil
}

func (m *model) Regs(int) (ptrace.Regs, error)               { return m.regs, nil }
func (m *model) XState(int, []byte) ([]byte, error)          { return m.vector[:], nil }
func (m *model) state() model                                { return model{regs: m.regs, vector: m.vector, memory: m.memory} }
func (m *model) random(r *rand.Rand, n uint64) (uint64, int) { return r.Uint64N(n), 1 + r.IntN(40) }

// change makes a random step and its record, and returns it.
func (m *model) change(r *rand.Rand, h *History, b []byte) []byte {
	old := m.state()
	m.regs.RIP += r.Uint64N(8)
	m.regs.Words()[r.IntN(ptrace.NumRegs)] ^= r.Uint64() >> r.IntN(64)
	parts := byte(0)
	var mem []byte
	pieces := r.IntN(3)
	for range pieces { // they may overlap, and cross pages
		at, n := m.random(r, uint64(len(m.memory)-40))
		parts = partMemory
		mem = appendSpan(mem, modelBase+at, m.memory[at:at+uint64(n)])
		for i := range n {
			m.memory[at+uint64(i)] = byte(r.Uint32())
		}
	}
	if r.IntN(4) == 0 {
		parts |= partVector
		m.vector[r.IntN(len(m.vector))] ^= byte(1 + r.IntN(255))
	}
	b = appendRegs(appendHead(b[:0], head{parts: parts}), &old.regs, &m.regs)
	if parts&partMemory != 0 {
		b = append(appendNumber(b, uint64(pieces)), mem...)
	}
	if parts&partVector != 0 {
		b, _ = appendVector(b, old.vector[:], m.vector[:])
	}
	t := &h.view.threads[0]
	t.regs = m.regs
	copy(t.vector, m.vector[:])
	m.log = append(m.log, old)
	return b
}

// modelHistory is a history of n steps.
func modelHistory(seed uint64, budget, n int) (*model, *History) {
	r := rand.New(rand.NewPCG(seed, 1))
	m := &model{}
	h := newHistory(m, budget, 0)
	h.own.log.budget = budget // less than is of use, too
	h.view.threads = []thread{{id: 1, alive: true, vector: make([]byte, len(m.vector))}}
	h.view.maps = procfs.Maps{{Start: modelBase, End: modelBase + uint64(len(m.memory)), Read: true, Write: true}}
	var b []byte
	for range n {
		b = m.change(r, h, b)
		h.append(b)
	}
	m.log = append(m.log, m.state())
	return m, h
}

func requireModel(t *testing.T, v *View, want *model) {
	t.Helper()
	regs, err := v.Regs(0)
	if err != nil || regs != want.regs {
		t.Fatalf("position %d: registers %+v, %v, want %+v", v.position, regs, err, want.regs)
	}
	vector, err := v.XState(0, nil)
	if err != nil || !bytes.Equal(vector, want.vector[:]) {
		t.Fatalf("position %d: vector state %x, %v", v.position, vector, err)
	}
	memory := make([]byte, len(want.memory))
	if _, err := v.ReadMemory(modelBase, memory); err != nil || !bytes.Equal(memory, want.memory[:]) {
		t.Fatalf("position %d: memory differs, %v", v.position, err)
	}
}

// Wherever the view goes, it shows what was there.
func TestModel(t *testing.T) {
	m, h := modelHistory(1, 1<<20, 500)
	r := rand.New(rand.NewPCG(2, 2))
	for range 400 {
		position := r.Uint64N(501)
		if _, err := h.Seek(position); err != nil {
			t.Fatal(err)
		}
		requireModel(t, &h.view, &m.log[position])
	}
}

// If the process cannot be read, memory of the past is not taken for zeros: the view stays where it
// was, and goes on when the process can be read again.
func TestUnreadable(t *testing.T) {
	m, h := modelHistory(5, 1<<20, 100)
	for _, fails := range []error{proc.ErrRunning, proc.ErrExited, &ptrace.AccessError{Address: modelBase, Err: io.EOF}} {
		m.fails = fails
		if _, err := h.Seek(20); !errors.Is(err, fails) {
			t.Errorf("Seek: %v, want %v", err, fails)
		}
		m.fails = nil
		requireModel(t, &h.view, &m.log[h.view.position])
	}
	if _, err := h.Seek(20); err != nil {
		t.Fatal(err)
	}
	requireModel(t, &h.view, &m.log[20])
	m.fails = &ptrace.AccessError{Address: modelBase, Err: errNotMapped} // unmapped meanwhile
	if _, err := h.Seek(10); err != nil {
		t.Errorf("Seek without the memory: %v", err)
	}
}

// The budget is kept, the oldest records go, and those that are left are right.
func TestBudget(t *testing.T) {
	for _, budget := range []int{1 << 12, 1 << 14, 1 << 16} {
		r := rand.New(rand.NewPCG(3, uint64(budget)))
		m, h := modelHistory(4, budget, 0)
		var b []byte
		for range 2000 {
			b = m.change(r, h, b)
			if h.append(b); h.Bytes() > budget {
				t.Fatalf("%d bytes, the budget is %d", h.Bytes(), budget)
			}
		}
		if h.Oldest() == 0 || h.End()-h.Oldest() < 20 {
			t.Fatalf("budget %d: positions %d to %d", budget, h.Oldest(), h.End())
		}
		if _, err := h.Seek(h.Oldest()); err != nil {
			t.Fatal(err)
		}
		last := len(m.log) - 2000 + int(h.Oldest())
		requireModel(t, &h.view, &m.log[last])
		beginning, ok := errors.AsType[*BeginningError](second(h.Back(1)))
		if !ok || beginning.Oldest != h.Oldest() || !errors.Is(beginning, ErrNoHistory) {
			t.Errorf("stepped past the beginning: %v", beginning)
		}
	}
}

func second[A any](_ A, err error) error { return err }

// A record that is larger than the budget makes the history start again.
func TestTooLarge(t *testing.T) {
	_, h := modelHistory(5, 1<<14, 100)
	h.append(make([]byte, 1<<15))
	if h.Oldest() != 101 || h.End() != 101 || h.StartReason() != errTooLarge.Error() {
		t.Errorf("positions %d to %d: %s", h.Oldest(), h.End(), h.StartReason())
	}
}

// LastWrite finds what a search through all moments finds.
func TestLastWrite(t *testing.T) {
	m, h := modelHistory(6, 1<<20, 300)
	for at := uint64(0); at < uint64(len(m.memory)); at += 37 {
		want := -1
		for i := len(m.log) - 1; i > 0 && want < 0; i-- {
			if m.log[i].memory[at] != m.log[i-1].memory[at] {
				want = i - 1
			}
		}
		got, ok, err := h.Steps.LastWrite(t.Context(), modelBase+at, 1)
		// A byte may be written with what it was: then that is found instead.
		if err != nil || want >= 0 && (!ok || got.Position < uint64(want)) {
			t.Errorf("byte %d: %+v, %v, %v, want %d", at, got, ok, err, want)
		}
	}
}

// Searches stop at the first hit in their direction.
func TestSearch(t *testing.T) {
	_, h := modelHistory(7, 1<<20, 200)
	at := func(n uint64) func(*View) bool {
		return func(v *View) bool { return v.Position()%n == 0 }
	}
	steps := []struct {
		search func(context.Context, func(*View) bool) (bool, error)
		n      uint64
		hit    bool
		want   uint64
	}{
		{h.ReverseContinue, 70, true, 140},
		{h.ReverseContinue, 70, true, 70},
		{h.Continue, 60, true, 120},
		{h.Continue, 1000, false, 200},
		{h.ReverseContinue, 201, true, 0},
		{h.ReverseContinue, 1, false, 0},
	}
	for i, s := range steps {
		hit, err := s.search(t.Context(), at(s.n))
		if err != nil || hit != s.hit || h.View().Position() != s.want {
			t.Errorf("search %d: %v, %v at %d, want %v at %d", i, hit, err, h.View().Position(), s.hit, s.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Continue(ctx, at(1000)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled search: %v", err)
	}
}

// A hostile trace is refused or opened; it never does harm. One that is opened
// can be walked through.
func FuzzOpen(f *testing.F) {
	for n := range 3 {
		_, h := modelHistory(uint64(n), 1<<20, n*10)
		var b bytes.Buffer
		if _, err := h.Export(f.Context(), &b, ExportOptions{Format: Binary}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		trace, err := Open(t.Context(), bytes.NewReader(withChecksum(data)), nil)
		if err != nil {
			return
		}
		if _, err := trace.Seek(trace.Oldest()); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if _, err := trace.Export(t.Context(), &text, ExportOptions{Format: Text}); err != nil {
			t.Fatal(err)
		}
	})
}
