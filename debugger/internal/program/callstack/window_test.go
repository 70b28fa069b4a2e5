package callstack

import (
	"errors"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// ending is memory in which each byte is the low one of its address, up to an
// end.
type ending struct {
	end   uint64
	reads int
}

func (e *ending) ReadMemory(addr uint64, p []byte) error {
	if e.read(addr, p) < len(p) {
		return errors.New("behind the end")
	}
	return nil
}

func (e *ending) read(addr uint64, p []byte) int {
	e.reads++
	n := min(len(p), int(e.end-min(addr, e.end)))
	for i := range p[:n] {
		p[i] = byte(addr + uint64(i))
	}
	return n
}

// partEnding can read parts.
type partEnding struct{ ending }

func (e *partEnding) ReadPart(addr uint64, p []byte) int { return e.read(addr, p) }

// What is read ahead of a stack is read once, to its end if that is near.
func TestWindow(t *testing.T) {
	const start, end = 0x10_0010, 0x10_1200
	part := &partEnding{ending{end: end}}
	whole := &ending{end: end}
	for _, tt := range []struct {
		name   string
		memory symbols.Memory
		reads  *int
		ahead  int // how often is read ahead
		kept   uint64
	}{
		{"in parts", part, &part.reads, 1, end},
		{"all or nothing", whole, &whole.reads, 2, start + stackWindow/2},
	} {
		w := newWindow(tt.memory, start)
		if *tt.reads != tt.ahead {
			t.Errorf("%s: read ahead %d times, want %d", tt.name, *tt.reads, tt.ahead)
		}
		for _, addr := range []uint64{start, start + 0x800, tt.kept - 8} {
			if v, err := symbols.ReadWord(w, addr); err != nil || byte(v) != byte(addr) || *tt.reads != tt.ahead {
				t.Errorf("%s: at %#x %#x, %v, read %d times", tt.name, addr, v, err, *tt.reads)
			}
		}
		if v, err := symbols.ReadWord(w, end-8); err != nil || byte(v) != byte((end-8)&0xff) {
			t.Errorf("%s: before the end %#x, %v", tt.name, v, err)
		}
		if v, err := symbols.ReadWord(w, end-7); err == nil {
			t.Errorf("%s: over the end %#x", tt.name, v)
		}
		if _, err := symbols.ReadWord(w, start-8); err != nil {
			t.Errorf("%s: before the start: %v", tt.name, err)
		}
	}
	if w := newWindow(&partEnding{}, start); len(w.data) != 0 {
		t.Errorf("read %d bytes of nothing", len(w.data))
	}
}
