package collect

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A Point names a place and the expressions to read there.
type Point struct {
	Site      stepping.Site
	Condition string // an expression, "" for none
	Values    []string
}

// A probe is a point whose place and expressions have been found.
type probe struct {
	Point
	s      *stepping.Stepper
	places []symbols.Location
	holds  func(proc.Hit) (bool, error) // nil without a condition
	values []*expr.Expr
}

// newProbe finds the place and parses the expressions of a point.
func newProbe(ctx context.Context, s *stepping.Stepper, p Point) (*probe, error) {
	places, _, err := s.Sites.Places(ctx, p.Site)
	if err != nil {
		return nil, err
	}
	b := &stepping.Breakpoint{Places: places}
	if err := s.Breakpoints.SetCondition(ctx, b, p.Condition); err != nil {
		return nil, err
	}
	made := &probe{Point: p, s: s, places: places, holds: b.Holds}
	for _, text := range p.Values {
		e, err := expr.Parse(text)
		if err != nil {
			return nil, failure.Argumentf("the expression %q cannot be understood: %v", text, err)
		}
		if err := s.Breakpoints.CheckNames(ctx, e, places, fmt.Sprintf("expression %q cannot be evaluated", text)); err != nil {
			return nil, err
		}
		made.values = append(made.values, e)
	}
	return made, nil
}

// newProbes returns the probes of points.
func newProbes(ctx context.Context, s *stepping.Stepper, points []Point) ([]*probe, error) {
	var all []*probe
	for _, p := range points {
		made, err := newProbe(ctx, s, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Site, err)
		}
		all = append(all, made)
	}
	return all, nil
}

// matches reports whether the condition holds at a hit. One that cannot be
// evaluated does not, and its error is returned.
func (p *probe) matches(hit proc.Hit) (bool, error) {
	if p.holds == nil {
		return true, nil
	}
	return p.holds(hit)
}

// read returns the values at a hit. One that cannot be evaluated says why, in
// angle brackets.
func (p *probe) read(hit proc.Hit) []string {
	read := make([]string, len(p.values))
	scope, err := p.s.Inspector.Scope(hit.Thread, 0)
	for i, e := range p.values {
		if err != nil {
			read[i] = fmt.Sprintf("<%v>", err)
			continue
		}
		if value, err := e.Eval(p.s.Inspector.Life, scope); err != nil {
			read[i] = fmt.Sprintf("<%v>", err)
		} else {
			read[i] = value.Text(values.DefaultLimits)
		}
	}
	return read
}
