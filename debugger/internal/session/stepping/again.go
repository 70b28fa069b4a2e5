package stepping

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// errOldPlace is returned for breakpoints that mean nothing in another process.
var errOldPlace = errors.New("it was set at an address of the process before")

// SetAgain sets breakpoints of another process, or of this one before exec, with
// their numbers. Names that are not known yet are pending. It returns notes about
// the ones that are gone.
func (bs *Breakpoints) SetAgain(ctx context.Context, before []*Breakpoint) (notes []string) {
	for _, old := range before {
		if old.Watch == nil && old.Site == (Site{}) {
			continue // its client sets it again
		}
		b := old.fresh()
		var kept bool
		if b.Thread, kept = bs.threadAgain(old.Thread); !kept {
			notes = append(notes, fmt.Sprintf("breakpoint %d applies to all threads: thread %d was one of the process before", b.ID, old.Thread))
		}
		if err := bs.setAgain(ctx, b); err != nil {
			notes = append(notes, fmt.Sprintf("breakpoint %d is gone: %v", b.ID, err))
			continue
		}
		bs.restore(b)
	}
	if err := bs.waitForLibraries(ctx); err != nil {
		bs.inspector.Log.Debug("pending breakpoints do not wait for libraries", "err", err)
	}
	if err := bs.catchSyscalls(); err != nil {
		notes = append(notes, fmt.Sprintf("system calls are not caught: %v", err))
	}
	return notes
}

// mainThread stands for the first thread of a process, whose id is that of the process.
const mainThread = -1

// threadAgain returns the thread that a breakpoint of another process applies to, and
// reports whether it is the same one: the first thread is, and so are all.
func (bs *Breakpoints) threadAgain(thread int) (id int, same bool) {
	switch thread {
	case 0:
		return 0, true
	case mainThread, bs.target.ProcessID(): // after exec the process has its id
		return bs.target.ProcessID(), true
	}
	return 0, false
}

func (bs *Breakpoints) setAgain(ctx context.Context, b *Breakpoint) error {
	switch {
	case b.Watch != nil && b.Watch.Expression == "", b.Watch == nil && !b.Site.named():
		return errOldPlace
	case b.Watch != nil:
		return bs.watchAgain(ctx, b)
	}
	if err := bs.setTexts(ctx, b); err != nil {
		return err
	}
	err := bs.setPlaces(ctx, b)
	if b.Pending = isUnknown(err); b.Pending {
		return nil
	}
	return err
}

// watchAgain watches what an expression denotes in the new process.
func (bs *Breakpoints) watchAgain(ctx context.Context, b *Breakpoint) error {
	value, err := bs.inspector.Evaluate(ctx, b.Watch.Expression, 0, 0)
	if err != nil {
		return err
	}
	object, ok := value.Object()
	place, inMemory := object.Place()
	if !ok || !inMemory {
		return errOldPlace
	}
	at := place.Address
	b.Watch.SetPlace(place)
	b.Places = []symbols.Location{{Addr: at}}
	if b.Watch.Last, err = bs.watches.Sample(b.Watch); err != nil {
		return err
	}
	if err := bs.setTexts(ctx, b); err != nil || b.Watch.Recorded {
		return err
	}
	return bs.Set(b, proc.BreakpointSpec{Address: at, Size: b.Watch.Size, Access: b.Watch.Access, Condition: b.Holds})
}

// setTexts gives a breakpoint its conditions and its message.
func (bs *Breakpoints) setTexts(ctx context.Context, b *Breakpoint) error {
	if err := bs.setConditions(ctx, b, b.Condition, b.Hits); err != nil {
		return err
	}
	return bs.SetLog(ctx, b, b.LogMessage)
}

// fresh returns the breakpoint as it was before it was set.
func (b *Breakpoint) fresh() *Breakpoint {
	f := &Breakpoint{
		ID: b.ID, Site: b.Site, Condition: b.Condition, Hits: b.Hits, Once: b.Once, Ignore: b.Ignore, Thread: 0, LogMessage: b.LogMessage,
	}
	if b.Watch != nil {
		w := *b.Watch
		f.Watch = &w
	}
	return f
}

// Unset returns the breakpoint as it was before it was set.
func (b *Breakpoint) Unset() *Breakpoint { return b.fresh() }

// Copies returns the breakpoints as they were before they were set, by their
// numbers. They do not refer to the process.
func (bs *Breakpoints) Copies() []*Breakpoint {
	all := bs.Sorted()
	for i, b := range all {
		all[i] = b.fresh()
		if all[i].Thread = b.Thread; b.Thread != 0 && b.Thread == bs.target.ProcessID() {
			all[i].Thread = mainThread
		}
	}
	return all
}

// NewProgram sets the breakpoints again after exec, and returns a note about
// them.
func (bs *Breakpoints) NewProgram(ctx context.Context) string {
	before := bs.Sorted()
	clear(bs.ByID)
	bs.loader, bs.panics = loaderStop{}, panicStops{wanted: bs.panics.wanted}
	const begun = "another program was begun"
	bs.maps.Stale = true
	if len(before) == 0 || bs.maps.Refresh() != nil {
		return begun
	}
	notes := bs.SetAgain(ctx, before)
	var set, pending []string
	for _, b := range bs.Sorted() {
		if b.Pending {
			pending = append(pending, fmt.Sprint(b.ID))
		} else {
			set = append(set, fmt.Sprint(b.ID))
		}
	}
	text := []string{begun}
	if len(set) > 0 {
		text = append(text, "breakpoints set in it: "+strings.Join(set, ", "))
	}
	if len(pending) > 0 {
		text = append(text, "pending: "+strings.Join(pending, ", "))
	}
	return strings.Join(append(text, notes...), "; ")
}
