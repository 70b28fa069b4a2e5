package lastwrite

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A Query says which memory is meant, by an address or an expression.
type Query struct {
	Address    string
	Expression string
	Size       int  // bytes; 0 means those of the expression's type, or 8
	Move       bool // go to just before the write
}

// An Answer tells which write was the last one.
type Answer struct {
	State       session.State        `json:"state"`
	Address     string               `json:"address"`
	Size        int                  `json:"size"`
	Found       bool                 `json:"found"`
	Position    uint64               `json:"position,omitempty" doc:"The moment before the write: the next step makes it"`
	Kind        string               `json:"kind,omitempty" doc:"What has written: step, syscall, signal, run (some time while the process ran by itself) or change (the debugger)"`
	Thread      int                  `json:"thread,omitempty"`
	Instruction string               `json:"instruction,omitempty" doc:"The one that has written"`
	Before      string               `json:"before,omitempty" doc:"The value before, as a number"`
	After       string               `json:"after,omitempty" doc:"The value after the write"`
	Frames      []inspect.StackFrame `json:"frames,omitempty" doc:"The stack at the write"`

	Note string `json:"note,omitempty"`

	oldest uint64
	begins string // reason why no write was found
}

// writers maps kinds of writers to their descriptions.
var writers = map[string]string{
	history.Called.String(): "a system call", history.Signalled.String(): "the delivery of a signal",
	history.Ran.String(): "the process while it ran by itself, some time before the next position", history.Changed.String(): "the debugger",
}

// Text describes the origin of the value.
func (w Answer) Text() string {
	if !w.Found {
		return fmt.Sprintf("No write to %s (%d bytes) is recorded since position %d: %s", w.Address, w.Size, w.oldest, w.begins)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Last write to %s (%d bytes): at position %d by thread %d", w.Address, w.Size, w.Position, w.Thread)
	if by, ok := writers[w.Kind]; ok {
		b.WriteString(", by " + by)
	}
	if w.Instruction != "" {
		b.WriteString("\nInstruction: " + plain.Line(w.Instruction))
	}
	fmt.Fprintf(&b, "\nValue: %s, before it %s\n", w.After, w.Before)
	if w.Note != "" {
		b.WriteString(w.Note + " Writes that leave these bits alone are passed over.\n")
	}
	b.WriteString(inspect.StackText(w.Frames))
	return b.String() + w.State.When()
}

// MaxSize is the largest number of bytes that are looked for.
const MaxSize = 64 << 10

// writeFrames is the number of frames of the writer's stack in an answer.
const writeFrames = 20

// Find searches back from the current position for the last write to a
// value. The caller holds the gate of the session, which is stopped.
func Find(ctx context.Context, s *session.Session, q Query) (Answer, error) {
	h, err := s.Timeline.Require()
	if err != nil {
		return Answer{}, err
	}
	w, err := q.watch(ctx, s)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Address: plain.Hex(w.Address), Size: w.Size, Note: w.Note(), oldest: h.Oldest(), begins: h.StartReason()}
	shownBytes(s, w) // a secret that is whole now is in parts before
	found, ok, err := s.Stepper.WriteBefore(ctx, w)
	if err != nil {
		return Answer{}, err
	}
	if ok {
		answer.Found, answer.Position, answer.Kind, answer.Thread = true, found.Position, found.Kind.String(), found.Thread
		if err := s.Timeline.AtPosition(ctx, found.Position, func() { showWrite(s, &answer, w) }); err != nil {
			return Answer{}, err
		}
	}
	if ok && q.Move {
		if err := s.Timeline.Seek(ctx, found.Position); err != nil {
			return Answer{}, err
		}
		stop := s.Target.CurrentStop()
		stop.Why = stepping.AtMoment
		s.Stepper.Maps.Stale = true
		s.RecordStop(stop)
	}
	if _, err := s.Target.View.ReadMemory(w.Address, make([]byte, 1)); !ok && err != nil {
		answer.begins = "the memory there cannot be read"
	}
	answer.State = s.ReportedState()
	return answer, nil
}

// watch returns the memory that is meant.
func (q Query) watch(ctx context.Context, s *session.Session) (*stepping.Watch, error) {
	w := &stepping.Watch{Size: q.Size, Expression: q.Expression}
	var err error
	if q.Address != "" {
		w.Address, err = s.Inspector.Address(ctx, q.Address)
	} else {
		err = resolveExpression(ctx, s, w)
	}
	if w.Size == 0 {
		w.Size = 8
	}
	return w, err
}

// resolveExpression sets the memory to that of the watch's expression.
func resolveExpression(ctx context.Context, s *session.Session, w *stepping.Watch) error {
	value, err := s.Inspector.Evaluate(ctx, w.Expression, 0, 0)
	if err != nil {
		return inspect.WrapError(err)
	}
	o, ok := value.Object()
	place, inMemory := o.Place()
	if !ok || !inMemory {
		return failure.Errorf("Expression failed", "%s is nothing that is in memory", w.Expression)
	}
	if w.Size != 0 { // the bytes that were asked for
		w.Address = place.Address
		return nil
	}
	w.SetPlace(place)
	w.Size = int(min(place.Size, MaxSize))
	return nil
}

// showWrite adds the description of the step at the current position to the
// answer.
func showWrite(s *session.Session, answer *Answer, w *stepping.Watch) {
	s.Target.LearnSecrets(answer.Thread)
	answer.Before = shownBytes(s, w)
	if answer.Kind == history.Stepped.String() || answer.Kind == history.Called.String() {
		if regs, err := s.Target.View.Regs(answer.Thread); err == nil {
			answer.Instruction = s.Inspector.ShownInstruction(regs.RIP)
		}
	}
	frames, _ := s.Inspector.Frames(answer.Thread, writeFrames) // the answer is useful without a stack, too
	answer.Frames = inspect.StackFrames(frames)
	if s.Timeline.SeekQuietly(answer.Position+1) == nil {
		answer.After = shownBytes(s, w)
	}
}

// shownBytes returns the watched bytes at the current position as they are shown.
func shownBytes(s *session.Session, w *stepping.Watch) string {
	b := s.Stepper.Watches.Bytes(w)
	s.Target.MaskDisplayed(w.Address, b)
	return w.Shown(b)
}
