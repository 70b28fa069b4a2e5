package dap

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/calltrace"
	"github.com/triptych-mcp/triptych/debugger/internal/session/lastwrite"
)

// lastWriteArguments ask for the last write before the position that is shown.
type lastWriteArguments struct {
	Expression string `json:"expression"` // what was written, such as p->count
	FrameID    int    `json:"frameId"`    // in which the expression is meant
	Address    string `json:"address"`    // instead of an expression
	Size       int    `json:"size"`       // bytes; default: those of the expression's type, or 8
}

// A textBody is an answer with the text that people are shown.
type textBody struct {
	Text   string `json:"text"`
	Result any    `json:"result"`
}

// lastWrite tells what has written a value last.
func (l *looks) lastWrite(ctx context.Context, args lastWriteArguments) (any, error) {
	defer l.client.slowly(ctx, "Looking for the last write")()
	answer, err := l.findLastWrite(ctx, args)
	if err != nil {
		return nil, err
	}
	return textBody{answer.Text(), answer}, nil
}

func (l *looks) findLastWrite(ctx context.Context, args lastWriteArguments) (lastwrite.Answer, error) {
	if (args.Expression == "") == (args.Address == "") {
		return lastwrite.Answer{}, errors.New("give either expression or address")
	}
	if args.Expression != "" {
		p, err := l.target(ctx, 0, args.Expression, args.FrameID)
		if err != nil {
			return lastwrite.Answer{}, err
		}
		addr, ok := p.object.Address()
		if !ok {
			return lastwrite.Answer{}, fmt.Errorf("%s is not in memory", args.Expression)
		}
		args.Address = fmt.Sprintf("%#x", addr)
		if size := p.object.Size(); args.Size == 0 && size > 0 {
			args.Size = int(min(size, lastwrite.MaxSize))
		}
	}
	if args.Size < 0 || args.Size > lastwrite.MaxSize {
		return lastwrite.Answer{}, fmt.Errorf("size must be at most %d", lastwrite.MaxSize)
	}
	ctx, done := l.client.s.Limit(ctx)
	found, err := lastwrite.Find(ctx, l.client.s, lastwrite.Query{Address: args.Address, Size: args.Size})
	return found, done(err)
}

// callTraceArguments choose a recorded call, by its function or a position in
// it.
type callTraceArguments struct {
	Function string  `json:"function"`
	Nth      int     `json:"nth"` // of the recorded calls; default: the last
	At       *uint64 `json:"at"`  // a position, instead of a function
	From     uint64  `json:"from"`
	MaxBytes int     `json:"maxBytes"`
}

// defaultTrace is the size of the text of a call trace.
const defaultTrace = 20000

// callTrace shows what one recorded call did.
func (l *looks) callTrace(ctx context.Context, args callTraceArguments) (any, error) {
	defer l.client.slowly(ctx, "Tracing a call")()
	if _, err := l.client.s.Timeline.Require(); err != nil {
		return nil, err
	}
	if (args.Function == "") == (args.At == nil) || args.Nth < 0 {
		return nil, errors.New("give either function, with nth from 1 on, or at")
	}
	if args.MaxBytes <= 0 {
		args.MaxBytes = defaultTrace
	}
	q := calltrace.Query{Function: args.Function, Nth: args.Nth, At: args.At}
	ctx, done := l.client.s.Limit(ctx)
	trace, err := calltrace.Trace(ctx, l.client.s.Stepper, q, calltrace.Options{From: args.From, MaxBytes: min(args.MaxBytes, maxMemory)})
	if err = done(err); err != nil {
		return nil, err
	}
	return textBody{trace.Text(), trace}, nil
}

// seekArguments choose a position of the history; default: the present.
type seekArguments struct {
	Position *uint64 `json:"position"`
}

// seek goes to a position. The client is told as of any stop.
func (m *moves) seek(ctx context.Context, args seekArguments) (any, error) {
	var to uint64
	err := m.client.locked(ctx, func() (err error) {
		if err := m.client.requireDriver(); err != nil {
			return err
		}
		to, err = m.client.position(args.Position)
		return err
	})
	if err != nil {
		return nil, err
	}
	return nil, m.start(ctx, way{back: true, title: "Going to another position", through: func(ctx context.Context) (proc.Stop, error) { return m.client.s.Timeline.GoTo(ctx, to) }})
}
