package debugger

import (
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// A lookout watches for breakpoints while steps are recorded or gone through:
// the processor does not do it then. In the past hits count no more, and
// hit_count does not keep from stopping.
type lookout struct {
	s       *stepper
	past    bool
	at      map[uint64][]*mark
	watches []*mark
	before  map[*mark]int // hits that the process has counted, of those that ignore some
	last    struct {      // the place before, for instructions that repeat
		thread int
		pc     uint64
	}

	found *mark
	back  bool  // found on the way back, before the write
	err   error // why its condition could not be decided
}

// newLookout begins to watch where the session is.
func (s *stepper) newLookout(inPast bool) *lookout {
	l := &lookout{s: s, past: inPast, at: map[uint64][]*mark{}, before: map[*mark]int{}}
	for _, m := range s.marks.byID {
		if m.watch != nil {
			l.watches = append(l.watches, m)
			continue
		}
		for _, p := range m.places {
			l.at[p.Addr] = append(l.at[p.Addr], m)
		}
		if hits, err := s.marks.hits(m); m.ignore > 0 && err == nil {
			l.before[m] = hits
		}
	}
	if regs, err := s.scene.Regs(0); err == nil {
		l.last.thread, _ = s.scene.CurrentThread()
		l.last.pc = regs.RIP
	}
	return l
}

// idle says that there is nothing to watch for.
func (l *lookout) idle() bool { return len(l.at)+len(l.watches) == 0 }

// hit says whether something stops at the view, which a step has just led to.
func (l *lookout) hit(v *history.View) bool {
	pc, thread := v.PC(), v.Thread()
	repeats := l.last.pc == pc && l.last.thread == thread
	l.last.pc, l.last.thread = pc, thread
	if !repeats {
		for _, m := range l.at[pc] {
			if l.counts(m, thread, pc) {
				return true
			}
		}
	}
	for _, m := range l.watches {
		if l.s.past.Wrote(v.Position()-1, m.watch.address, uint64(m.watch.size)) && l.counts(m, thread, pc) {
			return true
		}
	}
	return false
}

// behind says whether something stops at the view, which going back has just
// led to. What is watched stops before it is written.
func (l *lookout) behind(v *history.View) bool {
	pc, thread := v.PC(), v.Thread()
	l.back = true
	for _, m := range l.watches {
		if l.s.past.Wrote(v.Position(), m.watch.address, uint64(m.watch.size)) && l.counts(m, thread, pc) {
			return true
		}
	}
	for _, m := range l.at[pc] {
		if l.counts(m, thread, pc) {
			return true
		}
	}
	return false
}

// counts decides about a mark. A condition that cannot be decided stops.
func (l *lookout) counts(m *mark, thread int, pc uint64) bool {
	if m.thread != 0 && m.thread != thread {
		return false
	}
	if m.holds != nil {
		holds, err := m.holds(proc.Hit{Thread: thread, Breakpoint: m.id, Address: pc})
		if err == nil && !holds {
			return false
		}
		l.err = err
	}
	l.found = m
	if l.past {
		return true
	}
	m.stepHits++
	if l.err != nil || l.before[m]+m.stepHits > m.ignore {
		return true
	}
	l.found = nil
	return false
}

// stop makes a stop one at the mark that was found. Marks that the process does
// not know have their own numbers, as negative ones.
func (l *lookout) stop(stop proc.Stop) proc.Stop {
	stop.Why, stop.Breakpoint, stop.Err = proc.AtBreakpoint, -l.found.id, l.err
	switch {
	case l.found.watch == nil:
	case l.back:
		stop.Why = atWrite
	default:
		stop.Why = proc.AtWatchpoint
	}
	return stop
}

// of finds the mark that a stop is about.
func (t *markTable) of(id int) *mark {
	if id < 0 {
		return t.byID[-id]
	}
	for _, m := range t.byID {
		if slices.Contains(m.ids, id) {
			return m
		}
	}
	return nil
}

// changed says how what is watched has changed by the stop, or will by the next
// step.
func (s *stepper) changed(w *watch, why proc.Why) string {
	if s.past == nil || w.size > maxShown {
		return s.sinceLastStop(w)
	}
	position := s.past.View().Position()
	if why == atWrite {
		return s.difference(w, position, position+1, "the next step makes it %[2]s, it is %[1]s")
	}
	if position == s.past.Oldest() {
		return s.sinceLastStop(w)
	}
	return s.difference(w, position-1, position, "the value was %s and is %s")
}

// maxShown is how many bytes of what is watched are shown.
const maxShown = 64

// difference looks at what is watched at two positions, and comes back.
func (s *stepper) difference(w *watch, before, after uint64, format string) string {
	here := s.past.View().Position()
	was, is := s.watchedAt(w, before), s.watchedAt(w, after)
	_ = s.seekQuietly(here) // it was just there
	w.last = s.watchedAt(w, here)
	if string(was) == string(is) {
		return "the value is still " + littleEndian(is)
	}
	return fmt.Sprintf(format, littleEndian(was), littleEndian(is))
}

func (s *stepper) watchedAt(w *watch, position uint64) []byte {
	b := make([]byte, w.size)
	if s.seekQuietly(position) == nil {
		b = s.bytes(w)
	}
	return b
}

// seekQuietly goes to a position without a word about the way.
func (s *stepper) seekQuietly(position uint64) error {
	_, err := s.past.Seek(position)
	s.arrive()
	return err
}

// sinceLastStop says how what is watched has changed since it was looked at.
func (s *stepper) sinceLastStop(w *watch) string {
	is := make([]byte, w.size)
	if _, err := s.scene.ReadMemory(w.address, is); err != nil {
		return ""
	}
	was := w.last
	w.last = is
	switch {
	case string(was) == string(is):
		return "the value is still " + littleEndian(is)
	case w.size > maxShown:
		return "the value has changed"
	}
	return fmt.Sprintf("the value was %s and is %s", littleEndian(was), littleEndian(is))
}
