package dap

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// looks answers the requests that read and change the process where it is shown.
type looks struct {
	client      *client
	breakpoints *breakpoints

	now look
}

// A look holds what the client has read at a stop. The numbers that it was given
// are valid until the next one.
type look struct {
	stop    dap.StoppedEventBody
	threads []dap.Thread              // the last ones that were listed
	stacks  map[int][]callstack.Frame // by thread
	whole   map[int]bool              // threads whose stacks are complete
	frames  []frameID                 // by the client's number, from 1
	numbers map[frameID]int           // of the client
	handles []handle                  // likewise
}

// A frameID is a frame of a thread.
type frameID struct{ thread, number int }

// threads lists the threads; while the process runs those of the last stop, as
// clients ask for them at any time.
func (l *looks) threads(ctx context.Context, _ noArguments) (any, error) {
	err := l.client.locked(ctx, func() error {
		all, err := l.client.s.Target.View.Threads()
		if err != nil {
			return err
		}
		l.now.threads = []dap.Thread{}
		for _, t := range all {
			l.now.threads = append(l.now.threads, dap.Thread{Id: t.ID, Name: threadName(t)})
		}
		return nil
	})
	for _, moment := range []error{errRunning, errMoved, errExited, proc.ErrExited} {
		if errors.Is(err, moment) {
			err = nil
		}
	}
	if l.now.threads == nil {
		l.now.threads = []dap.Thread{}
	}
	return dap.ThreadsResponseBody{Threads: l.now.threads}, err
}

func threadName(t proc.ThreadInfo) string {
	if t.Name == "" { // a trace has none
		return fmt.Sprintf("Thread %d", t.ID)
	}
	return fmt.Sprintf("%s (%d)", t.Name, t.ID)
}

// maxFrames bounds the frames of a stack.
const maxFrames = 10000

// stack returns the innermost frames of a thread, and whether there are no more.
func (l *looks) stack(thread, limit int) (frames []callstack.Frame, whole bool, err error) {
	n := &l.now
	if n.stacks == nil {
		n.stacks, n.whole = map[int][]callstack.Frame{}, map[int]bool{}
	}
	if frames := n.stacks[thread]; len(frames) >= limit || n.whole[thread] {
		return frames, n.whole[thread], nil
	}
	frames, err = l.client.s.Inspector.Frames(thread, limit)
	if err != nil {
		return nil, false, err
	}
	n.stacks[thread], n.whole[thread] = frames, len(frames) < limit
	return frames, n.whole[thread], nil
}

// defaultLevels is the number of frames for clients that do not say how many
// they want: more than all but runaway recursions have.
const defaultLevels = 1000

// stackTrace returns some frames of a thread.
func (l *looks) stackTrace(_ context.Context, args dap.StackTraceArguments) (any, error) {
	if args.StartFrame < 0 || args.Levels < 0 {
		return nil, errors.New("startFrame and levels must not be negative")
	}
	if args.Levels == 0 {
		args.Levels = defaultLevels
	}
	end := min(min(args.StartFrame, maxFrames)+min(args.Levels, maxFrames), maxFrames)
	frames, whole, err := l.stack(args.ThreadId, end+1)
	if err != nil {
		return nil, err
	}
	body := dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}, TotalFrames: len(frames)}
	if !whole {
		body.TotalFrames += defaultLevels // clients ask again while there seem to be more
	}
	for n := args.StartFrame; n < min(end, len(frames)); n++ {
		body.StackFrames = append(body.StackFrames, l.stackFrame(args.ThreadId, n, &frames[n]))
	}
	return body, nil
}

func (l *looks) stackFrame(thread, number int, f *callstack.Frame) dap.StackFrame {
	out := dap.StackFrame{
		Id: l.now.number(frameID{thread, number}), Name: frameName(f), InstructionPointerReference: plain.Hex(f.PC), ModuleId: f.Image,
	}
	if f.Image == "" {
		out.ModuleId = nil
	}
	if f.File != "" {
		out.Source, out.Line = l.client.sourceOf(f.File), l.client.toClientLine(f.Line)
	} else {
		out.PresentationHint = "subtle"
	}
	return out
}

// number returns the client's number of a frame.
func (n *look) number(f frameID) int {
	if n.numbers == nil {
		n.numbers = map[frameID]int{}
	}
	if n.numbers[f] == 0 {
		n.frames = append(n.frames, f)
		n.numbers[f] = len(n.frames)
	}
	return n.numbers[f]
}

// frameName describes a frame in a few words.
func frameName(f *callstack.Frame) string {
	name := f.Function
	switch {
	case name == "":
		return plain.Hex(f.PC)
	case f.File == "" && f.Offset != 0:
		name = fmt.Sprintf("%s%+#x", name, f.Offset)
	}
	for _, note := range []struct {
		holds bool
		text  string
	}{{f.Inlined, "inlined"}, {f.TailCall, "tail call"}, {f.Signal, "signal handler called"}, {f.Guessed, "guessed"}} {
		if note.holds {
			name += " (" + note.text + ")"
		}
	}
	return name
}

// frameOf returns the frame with a number that the client was given; 0 is the
// innermost one of the current thread.
func (l *looks) frameOf(id int) (frameID, error) {
	if id == 0 {
		return frameID{}, nil
	}
	if id < 0 || id > len(l.now.frames) {
		return frameID{}, errStale
	}
	return l.now.frames[id-1], nil
}

// errStale is returned for numbers of an earlier stop.
var errStale = errors.New("that was at an earlier stop; ask for the stack again")

// frame returns a frame with its variables.
func (l *looks) frame(id frameID) (*callstack.Frame, error) {
	frames, _, err := l.stack(id.thread, id.number+1)
	if err != nil {
		return nil, err
	}
	if id.number >= len(frames) {
		return nil, errStale
	}
	return &frames[id.number], nil
}

// scopes are the groups of variables of a frame.
func (l *looks) scopes(_ context.Context, args dap.ScopesArguments) (any, error) {
	id, err := l.frameOf(args.FrameId)
	if err != nil {
		return nil, err
	}
	frame, err := l.frame(id)
	if err != nil {
		return nil, err
	}
	count := map[bool]int{}
	for _, o := range frame.Variables() {
		count[o.Argument]++
	}
	all := []dap.Scope{}
	for _, s := range []struct {
		name, hint string
		kind       handleKind
		n          int
		there      bool
	}{
		{"Arguments", "arguments", ofArguments, count[true], count[true] > 0},
		{"Locals", "locals", ofLocals, count[false], true},
		{"Registers", "registers", ofRegisters, 0, true},
	} {
		if s.there {
			ref := l.reference(handle{kind: s.kind, frame: id})
			all = append(all, dap.Scope{
				Name: s.name, PresentationHint: s.hint, VariablesReference: ref, NamedVariables: s.n, Expensive: s.kind == ofRegisters,
			})
		}
	}
	return dap.ScopesResponseBody{Scopes: all}, nil
}
