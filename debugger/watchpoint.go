package debugger

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/mcp"
)

// accessNames are the kinds of access as the client knows them.
var accessNames = map[proc.Access]string{proc.Write: "write", proc.ReadWrite: "readwrite"}

type watchpointArgs struct {
	Address    string `json:"address,omitempty" doc:"Address such as 0x404010, or an expression that is one, such as &total or p"`
	Expression string `json:"expression,omitempty" doc:"Instead of an address: what to watch, such as total or p->count"`
	Size       int    `json:"size,omitempty" min:"1" max:"65536" doc:"How many bytes: 1, 2, 4 or 8, with recorded any; those of the expression's type if not given"`
	Access     string `json:"access,omitempty" enum:"write|readwrite" default:"write" doc:"What to stop at"`
	Recorded   bool   `json:"recorded,omitempty" doc:"Watch only while steps are recorded and in the past, where there is room for any number and size"`
	Condition  string `json:"condition,omitempty" doc:"Stop only when this expression is true"`
	sessionArg
}

// Validate checks what the schema does not say.
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

// watchable says whether the processor can watch so many bytes.
func watchable(size int) bool { return size == 1 || size == 2 || size == 4 || size == 8 }

func (t *controlGroup) setWatchpoint(ctx context.Context, _ *mcp.Call, s *session, args watchpointArgs) (marked, error) {
	w := &watch{size: args.Size, text: args.Expression, access: proc.Write}
	if args.Access == accessNames[proc.ReadWrite] {
		w.access = proc.ReadWrite
	}
	w.recorded = args.Recorded || s.process == nil
	if err := watched(s, ctx, w, args.Address); err != nil {
		return marked{}, err
	}
	if w.size == 0 {
		w.size = 8
	}
	m := &mark{watch: w, places: []symbols.Location{{Addr: w.address}}}
	if err := s.conditional(ctx, m, args.Condition); err != nil {
		return marked{}, err
	}
	w.last = make([]byte, w.size)
	if _, err := s.scene.ReadMemory(w.address, w.last); err != nil {
		return marked{}, &breakpointError{fmt.Sprintf("the memory at %#x cannot be read", w.address)}
	}
	if w.recorded {
		return newMarked(s, m)
	}
	if err := s.marks.set(m, proc.BreakpointSpec{Address: w.address, Size: w.size, Access: w.access, Condition: m.holds}); err != nil {
		return marked{}, err
	}
	return newMarked(s, m)
}

// newMarked gives a mark its number and is the answer about it.
func newMarked(s *session, m *mark) (marked, error) {
	if err := s.marks.number(m); err != nil {
		return marked{}, err
	}
	item, err := newBreakpointItem(s.marks, m)
	return marked{State: s.tell(), Breakpoint: item}, err
}

// watched finds the place that an address or an expression means.
func watched(s *session, ctx context.Context, w *watch, address string) (err error) {
	if address != "" {
		w.address, err = s.address(ctx, address)
		return err
	}
	value, err := s.evaluate(ctx, w.text, 0, 0)
	if err != nil {
		return &breakpointError{fmt.Sprintf("the expression has no value: %v", err)}
	}
	o, ok := value.Object()
	addr, inMemory := o.Address()
	if !ok || !inMemory {
		return &breakpointError{"the expression is nothing that is in memory"}
	}
	w.address = addr
	if size := value.Size(); w.size == 0 && (w.recorded || watchable(int(size))) {
		w.size = int(min(size, maxMemory))
	}
	if w.size == 0 {
		return &breakpointError{fmt.Sprintf("a %s has %d bytes; 1, 2, 4 or 8 can be watched, which size says", value.Type(), value.Size())}
	}
	return nil
}

// evaluate evaluates an expression in a frame.
func (s *inspector) evaluate(ctx context.Context, text string, thread, frame int) (expr.Value, error) {
	e, err := expr.Parse(text)
	if err != nil {
		return expr.Value{}, err
	}
	scope, err := s.scope(thread, frame)
	if err != nil {
		return expr.Value{}, err
	}
	return e.Eval(ctx, scope)
}
