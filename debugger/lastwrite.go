package debugger

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
	"github.com/triptych-mcp/triptych/mcp"
)

type lastWriteArgs struct {
	Address    string `json:"address,omitempty" doc:"Address such as 0x404010, or an expression that is one, such as &total or p"`
	Expression string `json:"expression,omitempty" doc:"Instead of an address: whose value to look for, such as total or p->count"`
	Size       int    `json:"size,omitempty" min:"1" max:"65536" doc:"How many bytes; those of the expression's type, or 8, if not given"`
	Move       bool   `json:"move,omitempty" doc:"Go to where the write is about to be made, so that everything shows that moment"`
	sessionArg
}

// Validate checks what the schema does not say.
func (a lastWriteArgs) Validate() error {
	if (a.Address == "") == (a.Expression == "") {
		return errors.New("give either address or expression")
	}
	return nil
}

// lastWrite is the answer of last_write.
type lastWrite struct {
	State       state       `json:"state"`
	Address     string      `json:"address"`
	Size        int         `json:"size"`
	Found       bool        `json:"found"`
	Position    uint64      `json:"position,omitempty" doc:"The moment before the write: the next step makes it"`
	Kind        string      `json:"kind,omitempty" doc:"What has written: step, syscall, signal, run (some time while the process ran by itself) or change (the debugger)"`
	Thread      int         `json:"thread,omitempty"`
	Instruction string      `json:"instruction,omitempty" doc:"The one that has written"`
	Before      string      `json:"before,omitempty" doc:"The value before, as a number"`
	After       string      `json:"after,omitempty" doc:"The value after the write"`
	Frames      []frameItem `json:"frames,omitempty" doc:"The stack at the write"`

	oldest uint64
	begins string // why there is no write
}

// writers say in words what has written.
var writers = map[string]string{
	history.Called.String(): "a system call", history.Signalled.String(): "the delivery of a signal",
	history.Ran.String(): "the process while it ran by itself, some time before the next position", history.Changed.String(): "the debugger",
}

// Text says where the value comes from.
func (w lastWrite) Text() string {
	if !w.Found {
		return fmt.Sprintf("No write to %s (%d bytes) is recorded since position %d: %s", w.Address, w.Size, w.oldest, w.begins)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Last write to %s (%d bytes): at position %d by thread %d", w.Address, w.Size, w.Position, w.Thread)
	if by, ok := writers[w.Kind]; ok {
		b.WriteString(", by " + by)
	}
	if w.Instruction != "" {
		b.WriteString("\nInstruction: " + plain(w.Instruction))
	}
	fmt.Fprintf(&b, "\nValue: %s, before it %s\n", w.After, w.Before)
	b.WriteString(stack{Frames: w.Frames}.Text())
	return b.String() + w.State.when()
}

// writeFrames is how many frames of the stack are shown.
const writeFrames = 20

// lastWrite looks for what has written a value, from the moment that is looked
// at backwards.
func (t *travelGroup) lastWrite(ctx context.Context, _ *mcp.Call, s *session, args lastWriteArgs) (lastWrite, error) {
	h, err := s.timeline()
	if err != nil {
		return lastWrite{}, err
	}
	w, err := sought(s, ctx, args)
	if err != nil {
		return lastWrite{}, err
	}
	answer := lastWrite{Address: hexadecimal(w.address), Size: w.size, oldest: h.Oldest(), begins: h.Begins()}
	found, ok, err := s.writeBefore(ctx, w)
	if err != nil {
		return lastWrite{}, err
	}
	if ok {
		answer.Found, answer.Position, answer.Kind, answer.Thread = true, found.Position, found.Kind.String(), found.Thread
		if err := s.visit(found.Position, func() { showWrite(s, &answer, w) }); err != nil {
			return lastWrite{}, err
		}
	}
	if ok && args.Move {
		if err := s.seek(found.Position); err != nil {
			return lastWrite{}, err
		}
		stop := s.here()
		stop.Why = atMoment
		s.stale = true
		s.settle(stop)
	}
	if _, err := s.scene.ReadMemory(w.address, make([]byte, 1)); !ok && err != nil {
		answer.begins = "the memory there cannot be read"
	}
	answer.State = s.tell()
	return answer, nil
}

// writeBefore finds the last write before the moment that is looked at. Of runs
// that were not recorded those count in which the value has changed.
func (s *stepper) writeBefore(ctx context.Context, w *watch) (found history.Write, ok bool, err error) {
	size := uint64(w.size)
	back := s.visit(s.past.View().Position(), func() {
		for {
			found, ok, err = s.past.LastWrite(ctx, w.address, size)
			if err != nil || !ok || found.Kind != history.Ran {
				return
			}
			if err = s.seekQuietly(found.Position); err != nil || s.past.Wrote(found.Position, w.address, size) {
				return
			}
		}
	})
	return found, ok, errors.Join(err, back)
}

// sought is what the arguments mean.
func sought(s *session, ctx context.Context, args lastWriteArgs) (*watch, error) {
	w := &watch{size: args.Size, text: args.Expression}
	var err error
	if args.Address != "" {
		w.address, err = s.address(ctx, args.Address)
	} else {
		err = memoryOf(s, ctx, w)
	}
	if w.size == 0 {
		w.size = 8
	}
	return w, err
}

// memoryOf finds the memory that an expression means.
func memoryOf(s *session, ctx context.Context, w *watch) error {
	value, err := s.evaluate(ctx, w.text, 0, 0)
	if err != nil {
		return expressionError(err)
	}
	o, ok := value.Object()
	addr, inMemory := o.Address()
	if !ok || !inMemory {
		return failed("Expression failed", "%s is nothing that is in memory", w.text)
	}
	w.address = addr
	if w.size == 0 {
		w.size = int(min(value.Size(), maxMemory))
	}
	return nil
}

// visit goes to a position for as long as f takes.
func (s *stepper) visit(position uint64, f func()) error {
	here := s.past.View().Position()
	chosen, _ := s.scene.CurrentThread()
	if err := s.seekQuietly(position); err != nil {
		return err
	}
	f()
	err := s.seekQuietly(here)
	if now, _ := s.scene.CurrentThread(); now != chosen {
		err = errors.Join(err, s.scene.SetCurrentThread(chosen))
	}
	return err
}

// showWrite describes the step that is next at the view.
func showWrite(s *session, answer *lastWrite, w *watch) {
	answer.Before = littleEndian(s.bytes(w))
	if answer.Kind == history.Stepped.String() || answer.Kind == history.Called.String() {
		if regs, err := s.scene.Regs(answer.Thread); err == nil {
			answer.Instruction = s.instructionText(regs.RIP)
		}
	}
	frames, _ := s.frames(answer.Thread, writeFrames) // without a stack the rest is of use, too
	for i := range frames {
		answer.Frames = append(answer.Frames, newFrameItem(i, &frames[i]))
	}
	if s.seekQuietly(answer.Position+1) == nil {
		answer.After = littleEndian(s.bytes(w))
	}
}

// instructionText is the instruction at an address.
func (s *inspector) instructionText(addr uint64) string {
	var code [x86.MaxLen]byte
	n, _ := s.scene.ReadMemory(addr, code[:]) // fewer at the end of a mapping
	return x86.Text(code[:n], addr, s.symbolize)
}

// bytes reads what is watched; what is not there is zero.
func (s *stepper) bytes(w *watch) []byte {
	b := make([]byte, w.size)
	n, _ := s.scene.ReadMemory(w.address, b)
	clear(b[n:])
	return b
}
