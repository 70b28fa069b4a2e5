package controltools

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
	"github.com/triptych-mcp/triptych/mcp"
)

// A breakpointItem is a breakpoint or watchpoint in an answer.
type breakpointItem struct {
	ID        int                  `json:"id"`
	Kind      string               `json:"kind" doc:"breakpoint or watchpoint"`
	Places    []sessiontools.Place `json:"places" doc:"Where it is; a line or function may have become several pieces of code"`
	Condition string               `json:"condition,omitempty"`
	OneShot   bool                 `json:"one_shot,omitempty"`
	Hits      int                  `json:"hits"`
	Hardware  bool                 `json:"hardware,omitempty" doc:"Whether the processor does it, without a change of the code"`
	Watched   string               `json:"expression,omitempty" doc:"What is watched"`
	Size      int                  `json:"size,omitempty" doc:"How many bytes are watched"`
	Access    string               `json:"access,omitempty" doc:"write or readwrite"`
}

// newBreakpointItem describes a breakpoint for an answer.
func newBreakpointItem(t *stepping.Breakpoints, m *stepping.Breakpoint) (breakpointItem, error) {
	set, err := t.OfProcess(m)
	if err != nil {
		return breakpointItem{}, err
	}
	b := breakpointItem{ID: m.ID, Kind: "breakpoint", Places: []sessiontools.Place{}, Condition: m.Condition, OneShot: m.Once, Hits: m.StepHits, Hardware: len(set) > 0}
	for _, p := range m.Places {
		b.Places = append(b.Places, sessiontools.NewPlace(p))
	}
	for _, bp := range set {
		b.Hits += bp.Hits
		b.Hardware = b.Hardware && bp.Hardware
	}
	if w := m.Watch; w != nil {
		b.Kind, b.Watched, b.Size, b.Access = "watchpoint", w.Expression, w.Size, accessNames[w.Access]
	}
	return b, nil
}

// breakpointList is the answer of list_breakpoints.
type breakpointList struct {
	State       session.State    `json:"state"`
	Breakpoints []breakpointItem `json:"breakpoints"`
}

// Text is a line for each place.
func (l breakpointList) Text() string {
	if len(l.Breakpoints) == 0 {
		return "No breakpoints"
	}
	var b strings.Builder
	b.WriteString("Breakpoints:")
	for _, each := range l.Breakpoints {
		for i, p := range each.Places {
			if i == 0 {
				fmt.Fprintf(&b, "\n%3d  %s at %s", each.ID, each.Kind, p.String())
			} else {
				fmt.Fprintf(&b, "\n     and at %s", p.String())
			}
		}
		b.WriteString(each.details())
	}
	return b.String()
}

// details returns the rest of the line about a breakpoint.
func (b breakpointItem) details() string {
	text := ""
	if b.Watched != "" {
		text += ", " + plain.Line(b.Watched)
	}
	if b.Size != 0 {
		text += fmt.Sprintf(", %d bytes, %s", b.Size, b.Access)
	}
	if b.Condition != "" {
		text += ", if " + plain.Line(b.Condition)
	}
	if b.OneShot {
		text += ", once"
	}
	if b.Hits > 0 {
		text += fmt.Sprintf(", hits: %d", b.Hits)
	}
	return text
}

func (t *Group) listBreakpoints(_ context.Context, _ *mcp.Call, s *session.Session, _ sessiontools.OnlySession) (breakpointList, error) {
	list := breakpointList{State: s.ReportedState(), Breakpoints: []breakpointItem{}}
	for _, id := range slices.Sorted(maps.Keys(s.Breakpoints.ByID)) {
		item, err := newBreakpointItem(s.Breakpoints, s.Breakpoints.ByID[id])
		if err != nil {
			return breakpointList{}, err
		}
		list.Breakpoints = append(list.Breakpoints, item)
	}
	return list, nil
}

type clearArgs struct {
	ID int `json:"id" min:"1" doc:"Number of the breakpoint or watchpoint"`
	sessiontools.SessionArg
}

// cleared is the answer of clear_breakpoint.
type cleared struct {
	State session.State `json:"state"`
	ID    int           `json:"id"`
	Kind  string        `json:"kind"`
}

// Text names what was cleared.
func (c cleared) Text() string {
	if c.Kind == "watchpoint" {
		return fmt.Sprintf("Watchpoint %d cleared", c.ID)
	}
	return fmt.Sprintf("Breakpoint %d cleared", c.ID)
}

func (t *Group) clearBreakpoint(_ context.Context, _ *mcp.Call, s *session.Session, args clearArgs) (cleared, error) {
	m := s.Breakpoints.ByID[args.ID]
	if m == nil {
		return cleared{}, failure.Errorf("No such breakpoint", "there is no breakpoint or watchpoint %d; debugger/list_breakpoints lists them", args.ID)
	}
	answer := cleared{State: s.ReportedState(), ID: args.ID, Kind: "breakpoint"}
	if m.Watch != nil {
		answer.Kind = "watchpoint"
	}
	return answer, s.Breakpoints.Clear(m)
}

// accessNames are the values of the argument access.
var accessNames = map[proc.Access]string{proc.Write: "write", proc.ReadWrite: "readwrite"}
