package replay

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/procfs"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A search looks for places in a stretch of a recording while a Player replays it: the
// program stops before the instructions that are looked for, and the processor watches the
// memory. What inputs write is known from the recording.
type search struct {
	*Player
	names    procfs.Maps
	places   *history.Places
	code     map[uint64]bool
	ranges   []ptrace.Range
	shortest uint64 // positions in which no place is looked for after many stops
	enough   int    // number of stops after which it ends
	one      bool   // it ends at the first place
	stretch  *worktime.Phase
	whole    *worktime.Work // that is told what was searched without a result, or nil
	top      uint64         // position before which it was searched

	from, to uint64 // positions that are looked at
	stops    int
	first    uint64 // position of the first place, if there is one
	last     uint64 // of the last one
	found    bool

	each func(history.Hit) bool // is told the hits instead, if it is not nil
	came bool                   // the thread has come to the position from another instruction
	kind history.Kind           // of what has led it there

	noted int         // writes that the Runner has noted
	maps  procfs.Maps // for the condition; nil if they must be read again
}

// maxStops limits the stops of a stretch before the search looks at its second half first.
const maxStops = 256

// search returns a search that begins where a Player is.
func (t *Timeline) search(p *Player, places *history.Places, ranges []ptrace.Range) *search {
	s := &search{Player: p, names: t.named, places: places, ranges: ranges, code: make(map[uint64]bool), shortest: t.sizes.Window / 4}
	for _, pc := range places.Code {
		s.code[pc] = true
	}
	return s
}

// with returns a search for the same that begins where another Player is.
func (s *search) with(p *Player) *search {
	return &search{Player: p, names: s.names, places: s.places, ranges: s.ranges, code: s.code, shortest: s.shortest, whole: s.whole, top: s.top}
}

// stopAt makes the program stop at the instructions, or nowhere.
func (s *search) stopAt(code []uint64) {
	if len(s.places.Code) > 0 {
		s.run.Watch.StopAt(code)
	}
}

// look replays up to a position, or until there were enough stops, and finds the places
// between from and to.
func (s *search) look(ctx context.Context, from, to uint64, enough int) error {
	s.from, s.to, s.enough, s.stops, s.noted, s.found = from, to, enough, 0, 0, false
	s.stopAt(s.places.Code)
	if s.one {
		enough = 1
	}
	if err := s.run.Watch.Writes(s.ranges, enough); err != nil {
		return err
	}
	for s.Position() < to && s.stops < s.enough && !(s.one && s.found) {
		if err := s.visit(); err != nil {
			return err
		}
		if err := s.advance(ctx); err != nil {
			return err
		}
		s.noteWrites()
		s.stretch.At(s.Position() - min(from, s.Position()))
	}
	return s.run.Watch.Writes(nil, 0)
}

// pass replays up to a position without looking.
func (s *search) pass(ctx context.Context, to uint64) error {
	s.stopAt(nil)
	for s.to = to; s.Position() < to; {
		if err := s.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// advance executes instructions, to the next event or stop, or takes an event.
func (s *search) advance(ctx context.Context) error {
	e := s.recording.Event(s.event)
	if before := s.Position(); before < min(e.Position, s.to) {
		err := s.runOnce(ctx, &e, min(e.Position, s.to))
		s.came, s.kind = s.Position() > before, history.Stepped
		return err
	}
	s.noteInput(&e)
	if e.Remap.Kind != recfile.NoRemap {
		s.maps = nil
	}
	pc := s.run.Regs.RIP
	err := s.apply()
	s.kind = kindOf(&e)
	s.came = e.Kind != recfile.Switch && e.Kind != recfile.Exit && e.Kind != recfile.Image && s.run.Regs.RIP != pc
	return err
}

// kindOf returns the kind of the record of an event.
func kindOf(e *recfile.Event) history.Kind {
	switch e.Kind {
	case recfile.Call:
		return history.Called
	case recfile.Signal:
		return history.Signalled
	}
	return history.Stepped
}

// visit notes the current position if it is before one of the instructions.
func (s *search) visit() error {
	if s.each != nil {
		s.hit()
		return nil
	}
	if !s.code[s.run.Regs.RIP] || s.Position() < s.from {
		return nil
	}
	s.stops++
	if s.places.Holds != nil {
		v, err := s.view()
		if err != nil || !s.places.Holds(v) {
			return err
		}
	}
	s.note(s.Position(), s.Position())
	return nil
}

// hit reports a hit at the current position, and ends the search if no more are wanted.
func (s *search) hit() {
	pc := s.run.Regs.RIP
	if !s.came || !s.code[pc] || s.Position() <= s.from {
		return
	}
	if !s.each(history.Hit{Position: s.Position(), Thread: s.thread, PC: pc, SP: s.run.Regs.RSP, Kind: s.kind}) {
		s.enough = 0
	}
}

// view returns a view of the current position.
func (s *search) view() (v *history.View, err error) {
	shown := &replayed{player: s.Player, names: s.names, ctx: context.Background()}
	if s.maps == nil {
		if s.maps, err = shown.Maps(); err != nil {
			return nil, err
		}
	}
	return history.NewView(shown, s.Position(), s.Threads(), s.thread, s.maps)
}

// noteInput notes the next event if it writes the memory.
func (s *search) noteInput(e *recfile.Event) {
	for _, w := range spansOf(e) {
		if s.watches(w) {
			s.stops++
			s.note(s.Position(), s.Position())
			return
		}
	}
}

func (s *search) watches(w x86.Span) bool {
	for _, r := range s.ranges {
		if w.Addr < r.End && r.Start < w.Addr+w.Len {
			return true
		}
	}
	return false
}

// noteWrites notes the last write that the Runner has noted since the last call.
func (s *search) noteWrites() {
	noted, executed := s.run.Watch.Noted()
	if noted > s.noted {
		at := s.base + uint64(executed)
		s.note(at-1, at)
	}
	s.stops += noted - s.noted
	s.noted = noted
}

// note notes that there may be a place between two positions.
func (s *search) note(first, last uint64) {
	if last < s.from || first >= s.to {
		return
	}
	if !s.found {
		s.first = max(first, s.from)
	}
	s.last, s.found = max(s.last, min(last, s.to-1)), true
}

// spansOf returns the memory that an event writes.
func spansOf(e *recfile.Event) (list []x86.Span) {
	for _, w := range e.Writes {
		if n := len(list); n > 0 && list[n-1].Addr+list[n-1].Len == w.Address { // a decoder has split it
			list[n-1].Len += uint64(len(w.Data))
			continue
		}
		list = append(list, x86.Span{Addr: w.Address, Len: uint64(len(w.Data))})
	}
	if m := e.Remap.Mapping; e.Remap.Kind != recfile.NoRemap && e.Remap.Kind != recfile.Protect {
		list = append(list, x86.Span{Addr: m.Start, Len: m.Length})
		if e.Remap.Kind == recfile.Move {
			list = append(list, x86.Span{Addr: e.Remap.To, Len: e.Remap.ToLen})
		}
	}
	return list
}

// pieces splits memory into ranges that the processor can watch.
func pieces(spans []x86.Span) (list []ptrace.Range) {
	for _, s := range spans {
		for addr, end := s.Addr, s.Addr+s.Len; addr < end; {
			n := uint64(ptrace.MaxWatchedLen)
			for addr%n != 0 || addr+n > end {
				n /= 2
			}
			list = append(list, ptrace.Range{Start: addr, End: addr + n})
			addr += n
			if len(list) > maxPieces {
				return list
			}
		}
	}
	return list
}

// maxPieces is the number of ranges that are watched, in as many replays as are needed.
// More memory is looked at record by record.
const maxPieces = 4 * ptrace.MaxWatched
