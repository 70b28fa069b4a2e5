package calltrace

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/locals"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// Options limit a trace.
type Options struct {
	From     uint64      // position of the first row; 0 stands for the start of the call
	MaxBytes int         // limit for the text
	Enough   func() bool // unless nil, the call is not followed further if it returns true
}

// Trace describes a recorded call.
func Trace(ctx context.Context, s *stepping.Stepper, q Query, o Options) (*CallTrace, error) {
	c := newCode(s)
	from, err := find(ctx, c, q)
	if err != nil {
		return nil, err
	}
	r, err := record(ctx, c, from, o.Enough)
	if err != nil {
		return nil, err
	}
	t := &tracer{ctx: ctx, code: c, recording: r, options: o}
	var traceErr error
	err = s.Timeline.AtPosition(ctx, r.position, func() { traceErr = t.describe() })
	return &t.trace, errors.Join(err, traceErr)
}

// describe fills in the trace.
func (t *tracer) describe() error {
	s, r := t.code.s, t.recording
	at := t.code.line(r.pc)
	t.trace = CallTrace{
		Function: t.code.function(r.pc).name, Number: r.nth, Of: r.of, Thread: r.thread, File: at.file,
		From: r.position, To: r.end, Steps: r.steps, Returned: r.returned, Rows: []Row{},
	}
	if r.caller != 0 {
		t.trace.Caller = place(t.code, r.caller)
	}
	if err := t.seek(r.body); err != nil {
		return err
	}
	t.trace.Arguments = arguments(s, t.here.thread)
	if r.cut {
		t.trace.Notes = append(t.trace.Notes, "the call is too long: its later lines and calls are left out")
	}
	switch {
	case r.goesOn:
		t.trace.Notes = append(t.trace.Notes, fmt.Sprintf("the call is followed up to position %d; the same call of the tool goes on", r.reached))
	case !r.ended:
		t.trace.Notes = append(t.trace.Notes, "the recording ends within the call")
	}
	visits := r.visits
	if len(visits) > 1 && visits[1].from <= r.body && len(visits[0].calls) == 0 {
		visits = visits[1:] // omits the prologue
	}
	t.bytes = len(t.trace.Text())
	f := newFolder(visits)
	if err := t.rows(visits, f.fold(0, len(visits)), 0); err != nil && !errors.Is(err, errFull) {
		return err
	}
	if !r.ended || !r.returned {
		return nil
	}
	var err error
	t.trace.Result, err = t.result(r.end, r.pc, r.slot)
	return err
}

// result returns the text of the result of a call that ended at a position. The slot of its return
// address is as at the start of the traced call.
func (t *tracer) result(end, pc, slot uint64) (string, error) {
	s := t.code.s
	if err := t.seek(end - 1); err != nil {
		return "", err
	}
	if text := goResults(frameOf(s, t.here.thread, slot+t.here.moved)); text != "" {
		return text, nil
	}
	if err := t.seek(end); err != nil {
		return "", err
	}
	return result(s, t.here.thread, pc), nil
}

// place returns the name of an address in code.
func place(c *code, pc uint64) string {
	text := c.function(pc).name
	if at := c.line(pc); at.number != 0 {
		text += " " + at.String()
	}
	return text
}

// errFull ends the rows when the text has reached its limit.
var errFull = errors.New("the text is full")

// rows appends rows for visits and loops.
func (t *tracer) rows(visits []visit, folds []fold, level int) error {
	for _, f := range folds {
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		v := &visits[f.visit]
		if f.count == 0 {
			if err := t.visitRows(v, level); err != nil {
				return err
			}
			continue
		}
		if err := t.add(Row{Position: v.from, Level: level, Loop: f.count}); err != nil {
			return err
		}
		if err := t.rows(visits, f.body, level+1); err != nil {
			return err
		}
	}
	return nil
}

// add appends a row unless it precedes the first requested row.
func (t *tracer) add(row Row) error {
	if row.Position < t.options.From {
		return nil
	}
	n := len(row.Text())
	if at := row.Position / farPositions; at != t.place {
		t.place = at
		t.far++
	}
	if full := t.bytes+n > t.options.MaxBytes || t.far > maxFar; full && len(t.trace.Rows) > 0 {
		t.trace.Next = row.Position
		return errFull
	}
	t.bytes += n
	t.trace.Rows = append(t.trace.Rows, row)
	return nil
}

// To read values so many positions away from the last ones takes a fraction of a second. A page has at
// most so many of these ways.
const (
	farPositions = 1 << 20
	maxFar       = 8
)

// maxCallRows limits the calls that are shown for one visit.
const maxCallRows = 6

// visitRows appends the row of a visit and of its calls.
func (t *tracer) visitRows(v *visit, level int) error {
	if v.to <= t.options.From && t.options.From > 0 {
		return nil
	}
	at := t.code.line(v.pc)
	row := Row{Position: v.from, Level: level, Line: at.number, Source: locals.Short(t.source.Line(t.code.s.Target.SourcePath(at.file), at.number))}
	if at.file != t.trace.File {
		row.File = at.file
	}
	var err error
	if row.Changes, err = t.changes(v); err != nil {
		return err
	}
	if err := t.add(row); err != nil {
		return err
	}
	for i, n := range v.calls {
		if i == maxCallRows {
			break
		}
		callee, err := t.callee(&t.calls[n])
		if err != nil {
			return err
		}
		if more := len(v.calls) - maxCallRows; i == maxCallRows-1 && more > 0 {
			callee.Function += andMore(more)
		}
		if err := t.add(Row{Position: t.calls[n].from, Level: level, Call: callee}); err != nil {
			return err
		}
	}
	return nil
}

// callee describes a call of the function.
func (t *tracer) callee(c *call) (*Callee, error) {
	s := t.code.s
	to := c.to
	if to == 0 {
		to = t.end
	}
	d := &Callee{Function: t.code.function(c.pc).name, To: to, Steps: to - c.from, Returned: c.returned}
	body, err := t.bodyOf(c, to)
	if err != nil {
		return nil, err
	}
	if body != 0 {
		if err := t.seek(body); err != nil {
			return nil, err
		}
		d.Arguments = arguments(s, t.here.thread)
	}
	if !c.returned {
		return d, nil
	}
	d.Result, err = t.result(to, c.pc, c.slot-t.at(c.from).moved)
	return d, err
}

// maxPrologue is the number of steps after which the end of a prologue is not looked for: the
// linker may find the function before it.
const maxPrologue = 1 << 16

// bodyOf returns the position at which a call is after the prologue of its function, where the
// arguments can be read, or 0.
func (t *tracer) bodyOf(c *call, end uint64) (position uint64, err error) {
	body := t.code.body(t.ctx, c.pc)
	err = t.code.s.Target.History.Steps.Transitions(t.ctx, c.from, min(end, c.from+maxPrologue), func(tr *history.Transition) bool {
		switch {
		case tr.Thread != t.at(tr.Position).thread:
		case tr.PC == body:
			position = tr.Position
		case tr.NextPC == body:
			position = tr.Position + 1
		}
		return position == 0
	})
	return position, err
}
