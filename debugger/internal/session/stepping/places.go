package stepping

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// places returns the places where the conditions can stop, and false if that may be
// anywhere.
func (l *stopConditions) places() (places history.Places, ok bool) {
	if len(l.syscalls.breakpoints) > 0 || l.loader != 0 {
		return places, false
	}
	for addr := range l.at {
		places.Code = append(places.Code, addr)
	}
	for _, m := range l.watches {
		places.Memory = append(places.Memory, x86.Span{Addr: m.Watch.Address, Len: uint64(m.Watch.Size)})
	}
	places.Holds = l.mayStop
	return places, true
}

// mayStop reports whether a breakpoint may stop at the instruction of the view. Conditions
// that count or log are left for when the view is there.
func (l *stopConditions) mayStop(v *history.View) bool {
	for _, m := range l.at[v.PC()] {
		if m.Thread != 0 && m.Thread != v.Thread() {
			continue
		}
		if m.Holds == nil || m.LogMessage != "" || m.Hits != "" {
			return true
		}
		holds, err := m.Holds(proc.Hit{Thread: v.Thread(), Breakpoint: m.ID, Address: v.PC()})
		if holds || err != nil {
			return true
		}
	}
	return false
}

// goBack goes back until the conditions stop, by at least one position. If they never do,
// it goes to the beginning and returns false.
func (l *stopConditions) goBack(ctx context.Context) (bool, error) {
	if places, ok := l.places(); ok {
		return l.s.Target.History.ReverseContinueAt(ctx, places, l.stopsBackward)
	}
	return l.s.Target.History.ReverseContinue(ctx, l.stopsBackward)
}

// goForward goes forward until the conditions stop, by at least one position. If they
// never do, it goes to the present and returns false.
func (l *stopConditions) goForward(ctx context.Context) (bool, error) {
	if places, ok := l.places(); ok {
		return l.s.Target.History.ContinueAt(ctx, places, l.stopsForward)
	}
	return l.s.Target.History.Continue(ctx, l.stopsForward)
}
