package controltools

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp"
)

// watchpointArgs holds the arguments of set_watchpoint.
type watchpointArgs struct {
	Address    string `json:"address,omitempty" doc:"0x404010 or &total"`
	Expression string `json:"expression,omitempty" doc:"Or such as p->count"`
	Size       int    `json:"size,omitempty" min:"1" max:"65536" doc:"Bytes" bounds:"enforced"`
	Access     string `json:"access,omitempty" enum:"write|readwrite" default:"write"`
	Recorded   bool   `json:"recorded,omitempty" doc:"In recorded steps only; any size"`
	Condition  string `json:"condition,omitempty"`
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a watchpointArgs) Validate() error {
	switch {
	case (a.Address == "") == (a.Expression == ""):
		return errors.New("give either address or expression")
	case !a.Recorded && a.Size != 0 && !watchable(a.Size):
		return errors.New("size must be 1, 2, 4 or 8")
	case a.Recorded && a.Access != accessNames[proc.Write]:
		return errors.New("what is read is not recorded: access must be write with recorded")
	}
	return nil
}

// watchable reports whether the processor can watch size bytes.
func watchable(size int) bool { return size == 1 || size == 2 || size == 4 || size == 8 }

// setWatchpoint sets a watchpoint on an address or on the memory of an
// expression.
func (t *Group) setWatchpoint(ctx context.Context, _ *mcp.Call, s *session.Session, args watchpointArgs) (marked, error) {
	w := &stepping.Watch{Size: args.Size, Expression: args.Expression, Access: proc.Write}
	if args.Access == accessNames[proc.ReadWrite] {
		w.Access = proc.ReadWrite
	}
	w.Recorded = args.Recorded || s.Target.Process == nil
	if err := resolveWatch(ctx, s, w, args.Address); err != nil {
		return marked{}, err
	}
	if w.Size == 0 {
		w.Size = 8
	}
	m := &stepping.Breakpoint{Watch: w, Places: []symbols.Location{{Addr: w.Address}}}
	if err := s.Breakpoints.SetCondition(ctx, m, args.Condition); err != nil {
		return marked{}, err
	}
	var err error
	if w.Last, err = s.Stepper.Watches.Sample(w); err != nil {
		return marked{}, failure.Breakpointf("the memory at %#x cannot be read", w.Address)
	}
	if w.Recorded {
		return newMarked(s, m)
	}
	if err := s.Breakpoints.Set(m, proc.BreakpointSpec{Address: w.Address, Size: w.Size, Access: w.Access, Condition: m.Holds}); err != nil {
		return marked{}, err
	}
	return newMarked(s, m)
}

// newMarked adds a breakpoint to the session and returns the answer about it.
func newMarked(s *session.Session, m *stepping.Breakpoint) (marked, error) {
	if err := s.Breakpoints.Add(m); err != nil {
		return marked{}, err
	}
	item, err := newBreakpointItem(s.Stepper, m)
	return marked{State: s.ChangedState(), Breakpoint: item}, err
}

// resolveWatch sets the memory to watch from an address or an expression.
func resolveWatch(ctx context.Context, s *session.Session, w *stepping.Watch, address string) (err error) {
	if address != "" {
		w.Address, err = s.Inspector.Address(ctx, address)
		return err
	}
	value, err := s.Inspector.Evaluate(ctx, w.Expression, 0, 0)
	if err != nil {
		return failure.Breakpointf("the expression has no value: %v", err)
	}
	o, ok := value.Object()
	place, inMemory := o.Place()
	if !ok || !inMemory {
		return failure.Breakpointf("the expression is nothing that is in memory")
	}
	w.Address = place.Address
	if w.Size == 0 {
		w.SetPlace(place)
	}
	if size := place.Size; w.Size == 0 && (w.Recorded || watchable(int(size))) {
		w.Size = int(min(size, sessiontools.MaxMemory))
	}
	if w.Size == 0 {
		return failure.Breakpointf("a %s has %d bytes; 1, 2, 4 or 8 can be watched, which size says", value.Type(), value.Size())
	}
	return nil
}
