package traveltools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/collect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// collectArgs holds the arguments of collect.
type collectArgs struct {
	Points []pointArg `json:"points" min:"1" max:"20" bounds:"enforced"`
	From   *uint64    `json:"from,omitempty" doc:"Position"`
	Limit  int        `json:"limit,omitempty" default:"50" min:"1" max:"1000" doc:"Rows" bounds:"enforced"`
	Run    string     `json:"run,omitempty" enum:"free|record" doc:"Run on, instead of the past"`
	sessiontools.WaitArg
	sessiontools.SessionArg
}

// A pointArg is a place with expressions.
type pointArg struct {
	At        string   `json:"at" min:"1" doc:"Function or file:line" bounds:"enforced"`
	Values    []string `json:"expressions" min:"1" max:"20" bounds:"enforced"`
	Condition string   `json:"condition,omitempty"`
}

// Validate checks rules that the schema cannot express.
func (a collectArgs) Validate() error {
	if a.Run != "" && (a.From != nil) {
		return errors.New("from is a position of the past; leave it out with run")
	}
	return nil
}

// points returns the points of the arguments.
func (a collectArgs) points() []collect.Point {
	var all []collect.Point
	for _, p := range a.Points {
		all = append(all, collect.Point{Site: siteOf(p.At), Condition: p.Condition, Values: p.Values})
	}
	return all
}

// siteOf returns the site that a text names.
func siteOf(text string) stepping.Site {
	if addr, err := inspect.ParseAddress(text); err == nil {
		return stepping.Site{Address: addr}
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		if line, err := strconv.Atoi(text[i+1:]); err == nil && line > 0 {
			return stepping.Site{File: text[:i], Line: line}
		}
	}
	return stepping.Site{Function: text}
}

// collected is the answer of collect.
type collected struct {
	State *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	From  uint64         `json:"from,omitempty"`
	To    uint64         `json:"to,omitempty"`
	*collect.Table
	Output string `json:"output,omitempty" doc:"What a launched program has written since the last answer"`

	outcome *session.Outcome // of a run
}

// Text shows a line for each row, and how a run ended.
func (c collected) Text() string {
	if c.outcome != nil {
		return c.Table.Text() + "\n" + c.outcome.Text()
	}
	return fmt.Sprintf("Positions %d to %d\n%s", c.From, c.To, c.Table.Text())
}

// collect reads values at each hit of some points, in the past or while the process
// runs.
func (t *Group) collect(ctx context.Context, call *mcp.Call, s *session.Session, args collectArgs) (collected, error) {
	if args.Run != "" {
		return collectRunning(ctx, call, s, args)
	}
	h, err := s.Timeline.Require()
	if err != nil {
		return collected{}, err
	}
	from, to, err := positions(h, args.From, nil)
	if err != nil {
		return collected{}, err
	}
	table, err := collect.Recorded(ctx, s.Stepper, args.points(), collect.Options{From: from, To: to, Limit: args.Limit, Enough: patience()})
	return collected{State: s.ChangedState(), From: from, To: to, Table: table}, err
}

// pauseGrace is the time that a process may take to stop after the time of a run.
const pauseGrace = 10 * time.Second

// collectRunning reads values while the process runs.
func collectRunning(ctx context.Context, call *mcp.Call, s *session.Session, args collectArgs) (collected, error) {
	if !call.Caller().Principal.Allows(sessiontools.WriteScope) {
		return collected{}, failure.Denied(fmt.Sprintf("run needs the scope %s", sessiontools.WriteScope))
	}
	if err := errors.Join(s.Target.RequireProcess(), s.Timeline.RequirePresent()); err != nil {
		return collected{}, err
	}
	c, err := collect.NewCollector(ctx, s.Stepper, args.points(), args.Limit, args.Run == "record")
	if err != nil {
		return collected{}, err
	}
	m, err := s.Move(ctx, call, args.Wait()+pauseGrace, func(ctx context.Context) (proc.Stop, error) {
		return c.Run(ctx, args.Wait())
	})
	if err != nil {
		return collected{}, err
	}
	return collected{State: &m.State, Table: c.Table(), Output: plain.Lines(m.Output), outcome: &m}, nil
}
