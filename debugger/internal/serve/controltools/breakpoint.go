package controltools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// breakpointArgs holds the arguments of set_breakpoint.
type breakpointArgs struct {
	Address   string `json:"address,omitempty" doc:"Such as 0x401000"`
	Condition string `json:"condition,omitempty" doc:"Such as count > 3"`
	Function  string `json:"function,omitempty" doc:"Stop after its prologue"`
	File      string `json:"file,omitempty" doc:"Source file"`
	Line      int    `json:"line,omitempty" min:"1" bounds:"enforced"`
	Log       string `json:"log,omitempty" max:"1000" doc:"Log this instead, such as n is {n}" bounds:"enforced"`
	OneShot   bool   `json:"one_shot,omitempty" doc:"Clear at first stop"`
	HitCount  int    `json:"hit_count,omitempty" min:"0" max:"1000000000" doc:"Stop at this hit" bounds:"enforced"`
	Expected  string `json:"expected,omitempty" doc:"Text of the line; it may have moved"`
	Catch     string `json:"catch,omitempty" doc:"throw, panic, fork, exec, syscall, syscall:open,close"`
	Pending   bool   `json:"pending,omitempty" doc:"Wait for a library"`
	Thread    int    `json:"thread,omitempty" min:"1" doc:"Stop only this thread" bounds:"enforced"`
	sessiontools.SessionArg
}

// Validate checks that the place is given in exactly one way.
func (a breakpointArgs) Validate() error {
	ways := 0
	for _, given := range []bool{a.Address != "", a.Function != "", a.File != "" || a.Line != 0 || a.Expected != "", a.Catch != ""} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("give either address, or function, or file and line")
	case (a.File == "") != (a.Line == 0 && a.Expected == ""):
		return errors.New("file and line belong together")
	case a.Log != "" && (a.OneShot || a.HitCount > 0):
		return errors.New("log does not stop, so one_shot and hit_count mean nothing with it")
	case a.Catch != "":
		return stepping.CheckCatch(a.Catch)
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

// AuditAddress returns the address of the first place, "" of a pending
// breakpoint.
func (m marked) AuditAddress() string {
	if len(m.Breakpoint.Places) == 0 {
		return ""
	}
	return m.Breakpoint.Places[0].Address
}

// Text returns the documented text form. It adds the name of a place that was not
// given by its address.
func (m marked) Text() string {
	b := m.Breakpoint
	if b.Kind == "watchpoint" {
		return fmt.Sprintf("Watchpoint %d set at %s (%d bytes, %s)", b.ID, b.Places[0].Address, b.Size, b.Access)
	}
	if len(b.Places) == 0 && !b.Pending {
		return fmt.Sprintf("Breakpoint %d set at %s", b.ID, plain.Line(b.Site))
	}
	if b.Pending {
		return fmt.Sprintf("Breakpoint %d waits for a library with %s", b.ID, plain.Line(b.Site))
	}
	lines := make([]string, len(b.Places))
	for i, p := range b.Places {
		lines[i] = fmt.Sprintf("Breakpoint %d set at %s", b.ID, p.Address)
		if m.named {
			lines[i] = fmt.Sprintf("Breakpoint %d set at %s", b.ID, p.String())
		}
	}
	if b.Note != "" {
		lines = append(lines, "Note: "+plain.Line(b.Note))
	}
	return strings.Join(lines, "\n")
}

// site returns where the breakpoint is to be.
func (a breakpointArgs) site() stepping.Site {
	addr, _ := inspect.ParseAddress(a.Address) // checked by Validate, 0 without one
	return stepping.Site{Address: addr, Function: a.Function, File: a.File, Line: a.Line, Expected: a.Expected, Catch: a.Catch}
}

// setBreakpoint sets a breakpoint at every address of the place.
func (t *Group) setBreakpoint(ctx context.Context, _ *mcp.Call, s *session.Session, args breakpointArgs) (marked, error) {
	m, err := s.Breakpoints.SetBreakpoint(ctx, stepping.BreakpointSpec{
		Site: args.site(), Pending: args.Pending,
		Condition: args.Condition, Log: args.Log, Once: args.OneShot, Ignore: max(0, args.HitCount-1), Thread: args.Thread,
	})
	if err != nil {
		return marked{}, err
	}
	item, err := newBreakpointItem(s.Stepper, m)
	return marked{State: s.ChangedState(), Breakpoint: item, named: args.Address == ""}, err
}
