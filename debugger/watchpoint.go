package debugger

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/expr"
	"github.com/triptych-mcp/triptych/debugger/proc"
	"github.com/triptych-mcp/triptych/debugger/symbols"
	"github.com/triptych-mcp/triptych/mcp"
)

// accessNames are the kinds of access as the client knows them.
var accessNames = map[proc.Access]string{proc.Write: "write", proc.ReadWrite: "readwrite"}

type watchpointArgs struct {
	Address    string `json:"address,omitempty" doc:"Address such as 0x404010"`
	Expression string `json:"expression,omitempty" doc:"Instead of an address: what to watch, such as total or p->count"`
	Size       int    `json:"size,omitempty" min:"1" max:"8" doc:"How many bytes: 1, 2, 4 or 8; those of the expression's type if not given"`
	Access     string `json:"access,omitempty" enum:"write|readwrite" default:"write" doc:"What to stop at"`
	Condition  string `json:"condition,omitempty" doc:"Stop only when this expression is true"`
	sessionArg
}

// Validate checks what the schema does not say.
func (a watchpointArgs) Validate() error {
	switch {
	case (a.Address == "") == (a.Expression == ""):
		return errors.New("give either address or expression")
	case a.Size != 0 && a.Size != 1 && a.Size != 2 && a.Size != 4 && a.Size != 8:
		return errors.New("size must be 1, 2, 4 or 8")
	case a.Address != "":
		_, err := parseAddress(a.Address)
		return err
	}
	return nil
}

func (t *tools) setWatchpoint(ctx context.Context, _ *mcp.Call, s *session, args watchpointArgs) (marked, error) {
	w := &watch{size: args.Size, text: args.Expression, access: proc.Write}
	if args.Access == accessNames[proc.ReadWrite] {
		w.access = proc.ReadWrite
	}
	if args.Address != "" {
		w.address, _ = parseAddress(args.Address) // Validate has read it
	} else if err := s.watched(ctx, w); err != nil {
		return marked{}, err
	}
	if w.size == 0 {
		w.size = 8
	}
	m := &mark{watch: w, places: []symbols.Location{{Addr: w.address}}}
	if err := s.conditional(m, args.Condition); err != nil {
		return marked{}, err
	}
	w.last = make([]byte, w.size)
	if _, err := s.scene.ReadMemory(w.address, w.last); err != nil {
		return marked{}, &breakpointError{fmt.Sprintf("the memory at %#x cannot be read", w.address)}
	}
	if err := s.set(m, proc.BreakpointSpec{Address: w.address, Size: w.size, Access: w.access, Condition: m.holds}); err != nil {
		return marked{}, err
	}
	if err := s.number(m); err != nil {
		return marked{}, err
	}
	item, err := s.item(m)
	return marked{State: s.tell(), Breakpoint: item}, err
}

// watched finds the place that an expression means.
func (s *session) watched(ctx context.Context, w *watch) error {
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
	if size := value.Size(); w.size == 0 && (size == 1 || size == 2 || size == 4 || size == 8) {
		w.size = int(size)
	}
	if w.size == 0 {
		return &breakpointError{fmt.Sprintf("a %s has %d bytes; 1, 2, 4 or 8 can be watched, which size says", value.Type(), value.Size())}
	}
	return nil
}

// evaluate evaluates an expression in a frame.
func (s *session) evaluate(ctx context.Context, text string, thread, frame int) (expr.Value, error) {
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
