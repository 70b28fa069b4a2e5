package controltools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
	"github.com/triptych-mcp/triptych/mcp"
)

// breakpointArgs holds the arguments of set_breakpoint.
type breakpointArgs struct {
	Address   string `json:"address,omitempty" doc:"Such as 0x401000"`
	Condition string `json:"condition,omitempty" doc:"Stop only when this is true, such as count > 3 && p->next != 0"`
	Function  string `json:"function,omitempty" doc:"Instead of an address: stop after its prologue"`
	File      string `json:"file,omitempty" doc:"Instead of an address: source file, with line"`
	Line      int    `json:"line,omitempty" min:"1"`
	Log       string `json:"log,omitempty" max:"1000" doc:"Log this instead of stopping, such as n is {n}"`
	OneShot   bool   `json:"one_shot,omitempty" doc:"Remove it at its first stop"`
	HitCount  int    `json:"hit_count,omitempty" min:"0" max:"1000000000" doc:"Stop at this hit, not before"`
	Thread    int    `json:"thread,omitempty" min:"1" doc:"Stop only this thread"`
	sessiontools.SessionArg
}

// Validate checks that the place is given in exactly one way.
func (a breakpointArgs) Validate() error {
	ways := 0
	for _, given := range []bool{a.Address != "", a.Function != "", a.File != "" || a.Line != 0} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("give either address, or function, or file and line")
	case (a.File == "") != (a.Line == 0):
		return errors.New("file and line belong together")
	case a.Log != "" && (a.OneShot || a.HitCount > 0):
		return errors.New("log does not stop, so one_shot and hit_count mean nothing with it")
	case a.Address != "":
		_, err := inspect.ParseAddress(a.Address)
		return err
	}
	return nil
}

// marked is the answer of set_breakpoint and set_watchpoint.
type marked struct {
	State      *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Breakpoint breakpointItem `json:"breakpoint"`

	named bool // the place was given by a name or a line
}

// AuditAddress returns the address of the first place. There is at least one.
func (m marked) AuditAddress() string { return m.Breakpoint.Places[0].Address }

// Text returns the documented text form. It adds the name of a place that was not
// given by its address.
func (m marked) Text() string {
	b := m.Breakpoint
	if b.Kind == "watchpoint" {
		return fmt.Sprintf("Watchpoint %d set at %s (%d bytes, %s)", b.ID, b.Places[0].Address, b.Size, b.Access)
	}
	lines := make([]string, len(b.Places))
	for i, p := range b.Places {
		lines[i] = fmt.Sprintf("Breakpoint %d set at %s", b.ID, p.Address)
		if m.named {
			lines[i] = fmt.Sprintf("Breakpoint %d set at %s", b.ID, p.String())
		}
	}
	return strings.Join(lines, "\n")
}

// setBreakpoint sets a breakpoint at every address of the place.
func (t *Group) setBreakpoint(ctx context.Context, _ *mcp.Call, s *session.Session, args breakpointArgs) (marked, error) {
	places, err := resolvePlaces(ctx, s, args)
	if err != nil {
		return marked{}, err
	}
	m, err := s.SetBreakpoint(ctx, stepping.BreakpointSpec{
		Places: places, Condition: args.Condition, Log: args.Log, Once: args.OneShot, Ignore: max(0, args.HitCount-1), Thread: args.Thread,
	})
	if err != nil {
		return marked{}, err
	}
	item, err := newBreakpointItem(s.Breakpoints, m)
	return marked{State: s.ChangedState(), Breakpoint: item, named: args.Address == ""}, err
}
