package controltools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A breakpointItem is a breakpoint or watchpoint in an answer.
type breakpointItem struct {
	ID        int                  `json:"id"`
	Kind      string               `json:"kind" doc:"breakpoint or watchpoint"`
	Places    []sessiontools.Place `json:"places" doc:"Where it is; a line or function may have become several pieces of code"`
	Site      string               `json:"site,omitempty" doc:"What a pending one waits for, or the system calls"`
	Pending   bool                 `json:"pending,omitempty" doc:"Whether it waits for a library"`
	Note      string               `json:"note,omitempty" doc:"Where its line has moved"`
	Condition string               `json:"condition,omitempty"`
	OneShot   bool                 `json:"one_shot,omitempty"`
	Log       string               `json:"log,omitempty" doc:"The message of one that logs and does not stop"`
	Hits      int                  `json:"hits"`
	Hardware  bool                 `json:"hardware,omitempty" doc:"Whether the processor does it, without a change of the code"`
	Watched   string               `json:"expression,omitempty" doc:"What is watched"`
	Size      int                  `json:"size,omitempty" doc:"How many bytes are watched"`
	Access    string               `json:"access,omitempty" doc:"write or readwrite"`
}

// newBreakpointItem returns the description of a breakpoint.
func newBreakpointItem(s *stepping.Stepper, m *stepping.Breakpoint) (breakpointItem, error) {
	set, err := s.Breakpoints.OfProcess(m)
	if err != nil {
		return breakpointItem{}, err
	}
	b := breakpointItem{ID: m.ID, Kind: kindBreakpoint, Places: []sessiontools.Place{}, Condition: m.Condition, OneShot: m.Once, Log: m.LogMessage, Hits: m.StepHits + m.Logged, Hardware: len(set) > 0}
	places, pending := s.Breakpoints.PlacesNow(m)
	if b.Pending, b.Note = pending, m.Note; pending || m.Syscalls != nil {
		b.Site = m.Site.String()
	}
	for _, p := range places {
		b.Places = append(b.Places, sessiontools.NewPlace(p))
	}
	for _, bp := range set {
		b.Hits += bp.Hits
		b.Hardware = b.Hardware && bp.Hardware
	}
	if w := m.Watch; w != nil {
		b.Kind, b.Watched, b.Size, b.Access = kindWatchpoint, w.Expression, w.Size, accessNames[w.Access]
	}
	return b, nil
}

// breakpointList is the answer of list_breakpoints.
type breakpointList struct {
	State       *session.State   `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Breakpoints []breakpointItem `json:"breakpoints"`
}

// Text returns a line for each place.
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
		if len(each.Places) == 0 && !each.Pending {
			fmt.Fprintf(&b, "\n%3d  %s at %s", each.ID, each.Kind, plain.Line(each.Site))
		}
		if each.Pending {
			fmt.Fprintf(&b, "\n%3d  %s at %s, pending", each.ID, each.Kind, plain.Line(each.Site))
		}
		b.WriteString(each.details())
	}
	return b.String()
}

// details returns the end of the line about a breakpoint: its condition, hits and
// access.
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
	if b.Log != "" {
		text += ", logs " + plain.Line(b.Log)
	}
	if b.Hits > 0 {
		text += fmt.Sprintf(", hits: %d", b.Hits)
	}
	return text
}

// listBreakpoints lists the breakpoints and watchpoints of the session.
func (t *Group) listBreakpoints(_ context.Context, _ *mcp.Call, s *session.Session, _ sessiontools.OnlySession) (breakpointList, error) {
	list := breakpointList{State: s.ChangedState(), Breakpoints: []breakpointItem{}}
	for _, id := range slices.Sorted(maps.Keys(s.Breakpoints.ByID)) {
		item, err := newBreakpointItem(s.Stepper, s.Breakpoints.ByID[id])
		if err != nil {
			return breakpointList{}, err
		}
		list.Breakpoints = append(list.Breakpoints, item)
	}
	return list, nil
}

// clearArgs holds the arguments of clear_breakpoint.
type clearArgs struct {
	ID  int   `json:"id,omitempty" min:"1" bounds:"enforced"`
	IDs []int `json:"ids,omitempty" min:"1" max:"1000" bounds:"enforced"`
	All bool  `json:"all,omitempty"`
	sessiontools.SessionArg
}

// Validate checks that the breakpoints are given in exactly one way.
func (a clearArgs) Validate() error {
	ways := 0
	for _, given := range []bool{a.ID != 0, len(a.IDs) > 0, a.All} {
		if given {
			ways++
		}
	}
	if ways != 1 {
		return errors.New("give either id, or ids, or all")
	}
	return nil
}

// cleared is the answer of clear_breakpoint.
type cleared struct {
	State   *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	ID      int            `json:"id,omitempty" doc:"The number, if only one was cleared"`
	Kind    string         `json:"kind,omitempty" doc:"breakpoint or watchpoint, if only one was cleared"`
	Cleared []clearedItem  `json:"cleared" doc:"All that was cleared"`
}

// A clearedItem is a breakpoint that was cleared.
type clearedItem struct {
	ID   int    `json:"id"`
	Kind string `json:"kind" doc:"breakpoint or watchpoint"`
}

// Text lists the breakpoints that were cleared.
func (c cleared) Text() string {
	if len(c.Cleared) == 0 {
		return "No breakpoints"
	}
	var lines []string
	for _, each := range c.Cleared {
		kind := "Breakpoint"
		if each.Kind == kindWatchpoint {
			kind = "Watchpoint"
		}
		lines = append(lines, fmt.Sprintf("%s %d cleared", kind, each.ID))
	}
	return strings.Join(lines, "\n")
}

// Kinds of breakpoints in answers.
const (
	kindBreakpoint = "breakpoint"
	kindWatchpoint = "watchpoint"
)

// clearBreakpoint clears all given breakpoints, or none if one of them does not
// exist.
func (t *Group) clearBreakpoint(_ context.Context, _ *mcp.Call, s *session.Session, args clearArgs) (cleared, error) {
	ids := slices.Compact(slices.Sorted(slices.Values(args.IDs)))
	switch {
	case args.All:
		ids = slices.Sorted(maps.Keys(s.Breakpoints.ByID))
	case args.ID != 0:
		ids = []int{args.ID}
	}
	for _, id := range ids {
		if s.Breakpoints.ByID[id] == nil {
			return cleared{}, failure.Errorf("No such breakpoint", "there is no breakpoint or watchpoint %d; debugger/list_breakpoints lists them", id)
		}
	}
	answer := cleared{State: s.ChangedState(), Cleared: []clearedItem{}}
	var errs error
	for _, id := range ids {
		b := s.Breakpoints.ByID[id]
		item := clearedItem{ID: id, Kind: kindBreakpoint}
		if b.Watch != nil {
			item.Kind = kindWatchpoint
		}
		answer.Cleared = append(answer.Cleared, item)
		errs = errors.Join(errs, s.Breakpoints.Clear(b))
	}
	if len(ids) == 1 {
		answer.ID, answer.Kind = ids[0], answer.Cleared[0].Kind
	}
	return answer, errs
}

// accessNames maps values of the argument access to kinds of access.
var accessNames = map[proc.Access]string{proc.Write: "write", proc.ReadWrite: "readwrite"}
