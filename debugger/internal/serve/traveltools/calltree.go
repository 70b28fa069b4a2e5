package traveltools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/looktools"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// callTreeArgs holds the arguments of call_tree.
type callTreeArgs struct {
	From     *uint64 `json:"from,omitempty" doc:"Position"`
	To       *uint64 `json:"to,omitempty"`
	Depth    int     `json:"depth,omitempty" default:"4" min:"1" max:"200" bounds:"enforced"`
	Filter   string  `json:"filter,omitempty" doc:"Part of a name, or with * and ?; with callers"`
	Thread   int     `json:"thread,omitempty" min:"1" bounds:"enforced"`
	Offset   int     `json:"offset,omitempty" min:"0" bounds:"enforced"`
	MaxBytes int     `json:"max_bytes,omitempty" default:"5000" min:"500" max:"60000" bounds:"enforced"`
	sessiontools.SessionArg
}

// callTree is the answer of call_tree.
type callTree struct {
	State  *session.State   `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Thread int              `json:"thread"`
	From   uint64           `json:"from"`
	To     uint64           `json:"to"`
	Calls  int              `json:"calls"`
	Lines  []calltrace.Line `json:"lines" doc:"Callers before their callees, in the order of their first calls"`
	Next   int              `json:"next,omitempty" doc:"Offset of the lines that follow"`
	Whole  uint64           `json:"whole,omitempty" doc:"The tree goes to this position, if it is not whole; the same call goes on"`
	Cut    bool             `json:"cut,omitempty" doc:"Whether there are too many chains of calls to list all"`
}

// Text returns the tree with a line for each function.
func (c callTree) Text() string {
	var b strings.Builder
	b.WriteString(c.head())
	for _, l := range c.Lines {
		b.WriteString(l.Text())
	}
	if len(c.Lines) == 0 {
		b.WriteString("\n(none)")
	}
	if c.Next > 0 {
		fmt.Fprintf(&b, "\n(continued with offset %d)", c.Next)
	}
	if c.Whole > 0 {
		fmt.Fprintf(&b, "\nNote: this is the tree up to position %d of %d; the same call goes on", c.To, c.Whole)
	}
	if c.Cut {
		b.WriteString("\nNote: there are too many chains of calls; the deepest count as steps of their callers")
	}
	return b.String()
}

func (c callTree) head() string {
	return fmt.Sprintf("%s of thread %d at positions %d to %d:", plain.Count(c.Calls, "call"), c.Thread, c.From, c.To)
}

// callTree returns the tree of recorded calls of a thread.
func (t *Group) callTree(ctx context.Context, _ *mcp.Call, s *session.Session, args callTreeArgs) (callTree, error) {
	h, err := s.Timeline.Require()
	if err != nil {
		return callTree{}, err
	}
	from, to, err := positions(h, args.From, args.To)
	if err != nil {
		return callTree{}, err
	}
	var match func(string) bool
	if args.Filter != "" {
		if match, err = looktools.NameFilter(args.Filter); err != nil {
			return callTree{}, err
		}
	}
	thread := args.Thread
	if thread == 0 {
		thread = h.View().Thread()
	}
	tree, err := calltrace.Calls(ctx, s.Stepper, thread, from, to, patience())
	if err != nil {
		return callTree{}, err
	}
	answer := callTree{State: s.ChangedState(), Thread: thread, From: from, To: tree.To, Calls: tree.Calls, Cut: tree.Cut, Lines: []calltrace.Line{}}
	if tree.To < to {
		answer.Whole = to
	}
	answer.add(tree.Lines(args.Depth, match), args.Offset, args.MaxBytes)
	return answer, nil
}

// add appends the lines from an offset on that fit in maxBytes.
func (c *callTree) add(lines []calltrace.Line, offset, maxBytes int) {
	room := maxBytes - len(c.head())
	for i := min(offset, len(lines)); i < len(lines); i++ {
		if room -= len(lines[i].Text()); room < 0 && len(c.Lines) > 0 {
			c.Next = i
			return
		}
		c.Lines = append(c.Lines, lines[i])
	}
}

// positions returns the range for two optional arguments.
func positions(h *history.History, from, to *uint64) (first, last uint64, err error) {
	first, last = h.Oldest(), h.End()
	if from != nil {
		first = *from
	}
	if to != nil {
		last = *to
	}
	switch {
	case last > h.End():
		return 0, 0, mcp.InvalidParams("position %d is beyond the present, %d", last, h.End())
	case first > last:
		return 0, 0, mcp.InvalidParams("position %d is beyond the end, %d", first, last)
	case first < h.Oldest():
		return 0, 0, failure.NoHistoryf("history begins at position %d: %s", h.Oldest(), h.StartReason())
	}
	return first, last, nil
}
