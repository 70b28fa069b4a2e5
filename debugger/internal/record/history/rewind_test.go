package history

import (
	"errors"
	"io"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// A memoryTarget is a process of which only the pages in it are mapped.
type memoryTarget struct {
	Target
	pages map[uint64]*page
	fails error
}

func (m *memoryTarget) access(addr uint64, n int, copied func(p []byte, at int) int) (int, error) {
	done := 0
	for done < n {
		p := m.pages[(addr+uint64(done))/pageSize]
		if m.fails != nil || p == nil {
			return done, &ptrace.AccessError{Address: addr + uint64(done), Err: errors.Join(errNotMapped, m.fails)}
		}
		done += copied(p[(addr+uint64(done))%pageSize:], done)
	}
	return done, nil
}

func (m *memoryTarget) ReadMemory(addr uint64, b []byte) (int, error) {
	return m.access(addr, len(b), func(p []byte, at int) int { return copy(b[at:], p) })
}

func (m *memoryTarget) WriteMemory(addr uint64, b []byte) (int, error) {
	return m.access(addr, len(b), func(p []byte, at int) int { return copy(p, b[at:]) })
}

// Pages of the past need not be mapped at the present. Where the process has lost memory that it
// had, it is left as it was.
func TestRewindMemory(t *testing.T) {
	const present, between, lost, top = 0x10, 0x20, 0x30, 0x7fff0
	maps := procfs.Maps{
		{Start: present * pageSize, End: (present + 1) * pageSize},
		{Start: lost * pageSize, End: (lost + 1) * pageSize},
		{Start: top * pageSize, End: (top + 2) * pageSize, Path: "[stack]"},
	}
	filled := func(c byte) *page {
		p := new(page)
		for i := range p {
			p[i] = c
		}
		return p
	}
	for name, test := range map[string]struct {
		then    map[uint64]*page
		fails   error
		refused bool
		failed  bool
	}{
		"written":                 {then: map[uint64]*page{present: filled(2)}},
		"between the positions":   {then: map[uint64]*page{present: filled(2), between: filled(3)}},
		"stack that was not used": {then: map[uint64]*page{present: filled(2), top - 2: filled(0)}},
		"lost, but empty":         {then: map[uint64]*page{present: filled(2), lost: filled(0)}},
		"lost":                    {then: map[uint64]*page{present: filled(2), lost: filled(3)}, refused: true},
		"a lost stack":            {then: map[uint64]*page{present: filled(2), top - 2: filled(3)}, refused: true},
		"the process has ended":   {then: map[uint64]*page{present: filled(2)}, fails: io.EOF, failed: true},
		"the process is gone":     {then: map[uint64]*page{between: filled(2)}, fails: ptrace.ErrGone, failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			target := &memoryTarget{pages: map[uint64]*page{present: filled(1), top: filled(1)}, fails: test.fails}
			r := newRecorder(target, Options{})
			r.view().maps, r.view().memory.pages = maps, test.then
			err := r.rewinder.writeMemory()
			err = r.rewinder.end(err)
			if _, refused := errors.AsType[*RewindError](err); refused != test.refused || (err != nil) != (test.refused || test.failed) {
				t.Fatalf("error %v", err)
			}
			want := test.then[present]
			if err != nil {
				want = filled(1)
			}
			if *target.pages[present] != *want || *target.pages[top] != *filled(1) {
				t.Error("the memory is not what it should be")
			}
		})
	}
}
