package history

import (
	"bytes"
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Source makes the records of a long history piece by piece, where they are needed.
type Source interface {
	// Bounds returns the first and the last position.
	Bounds() (first, last uint64)

	// Window returns a history that has the record at a position, with its view at its
	// end. Windows must not overlap, and there must be none without records. The view
	// can be read until Drop.
	Window(ctx context.Context, position uint64) (*History, error)

	// Drop releases a window.
	Drop(window *History)
}

// Long returns the history of everything that a source has, with the view at the last
// position. The reason says why it begins where it does.
func Long(source Source, reason string) (*History, error) {
	first, last := source.Bounds()
	if first == last {
		return nil, ErrNoHistory
	}
	h := &History{source: source, reason: reason}
	return h, h.jump(last)
}

// jump moves the view to the end of the window that has a position, or ends there.
func (h *History) jump(position uint64) error {
	if h.away() && position >= h.tail.first {
		return h.enterTail()
	}
	last := h.sourceEnd()
	at := min(position, last-1)
	w, err := h.takeWindow(at)
	if err != nil {
		return err
	}
	if err := h.leave(); err != nil {
		return err
	}
	h.window, h.log = w, w.log
	v := w.view
	v.partial = h.tail != nil || w.log.end() != last
	v.memory = overlay{base: v.base.ReadMemory, room: w.view.memory.room}
	v.threads = append([]thread(nil), v.threads...)
	for i := range v.threads {
		v.threads[i].vector = bytes.Clone(v.threads[i].vector)
	}
	h.view = v
	return nil
}

// takeWindow returns the window with a record, which is then not near any more.
func (h *History) takeWindow(at uint64) (*History, error) {
	if w := h.near; w != nil && w.log.has(at) {
		h.near = nil
		return w, nil
	}
	return h.source.Window(h.context(), at)
}

// reach makes a record that is next to the view one of log.
func (h *History) reach(at uint64) error {
	if h.source == nil || h.log.has(at) {
		return nil
	}
	position := h.view.position
	if err := h.jump(at); err != nil {
		return err
	}
	return h.walk(position, new(Traversal))
}

// at returns the record at a position. If the source fails, the record is damaged, and
// takeFailure returns the error.
func (h *History) at(position uint64) (*chunk, int) {
	w, err := h.holder(position)
	if err != nil {
		h.failure = err
		return &chunk{first: position, data: []byte{kindBits}, ends: []uint32{1}}, 0
	}
	return w.log.at(position)
}

// holder returns the history whose log has a record: the window of the view, as h, or
// another one, near. Each has a table of threads of its own.
func (h *History) holder(position uint64) (*History, error) {
	if h.source == nil || h.log.has(position) {
		return h, nil
	}
	if kept, ok := h.inTail(position); ok {
		return kept, nil
	}
	if h.near == nil || !h.near.log.has(position) {
		w, err := h.source.Window(h.context(), position)
		if err != nil {
			return nil, err
		}
		if h.near != nil {
			h.source.Drop(h.near)
		}
		h.near = w
	}
	return h.near, nil
}

// threadsAt returns the table of threads that a record refers to, after h.at.
func (h *History) threadsAt(position uint64) []thread {
	if kept, ok := h.inTail(position); ok {
		return kept.view.threads
	}
	if h.source == nil || h.log.has(position) || h.near == nil {
		return h.view.threads
	}
	return h.near.view.threads
}

// takeFailure returns the last error of the source once.
func (h *History) takeFailure() error {
	err := h.failure
	h.failure = nil
	return err
}

// has reports whether there is a record at a position.
func (r *ring) has(position uint64) bool { return r.oldest() <= position && position < r.end() }

// An Input describes a step that takes its results from a recording instead of
// executing an instruction.
type Input struct {
	Kind   Kind   // Stepped, Called or Signalled
	Number uint64 // of the system call or signal
	Writes []x86.Span
	Vector bool // the vector state changes, or cannot be read afterwards
	Maps   bool // mappings change
	Ends   bool // the process ends

	Threads  bool // threads are started
	Switches bool // the stepper's thread is the current one from now on
}

// An InputStepper is a Stepper of a process that replays a recording.
type InputStepper interface {
	Stepper

	// Input returns what the next step does, and false if it executes an instruction.
	Input() (Input, bool)
}

// prepareInput adds what an input changes.
func (r *Recorder) prepareInput(a *attempt, in *Input) {
	a.input, a.kind, a.number = true, in.Kind, in.Number
	a.differ, a.vector = true, in.Vector
	a.call.Number = in.Number
	a.effect.Maps, a.effect.Ends, a.effect.Threads = in.Maps, in.Ends, in.Threads
	a.switches = in.Switches
	for _, s := range in.Writes {
		a.spans = r.clip(a.spans, s)
	}
}
