package history

import (
	"fmt"
)

// Follow makes a part of the past the history up to the present, in place of what was recorded.
// The process has moved to the last position of the part. The history may take as many bytes
// as the part leaves, but always some. The part is closed when the history is dropped
// or restarts.
func (r *Recorder) Follow(earlier Part, reason string) error {
	h := r.history
	if _, err := h.Seek(h.End()); err != nil {
		return err
	}
	return r.follow(earlier, reason)
}

// follow begins the records after a part of the past.
func (r *Recorder) follow(earlier Part, reason string) error {
	h := r.history
	h.dropEarlier(earlier)
	_, last := earlier.Bounds()
	h.earlier, h.Steps.past, h.Steps.reason = earlier, &Line{Parts: []Part{earlier, h.own}}, reason
	h.own.log.budget = max(MinBudget, r.options.Budget-earlier.Bytes())
	h.own.log.clear(last)
	h.view.threads = nil
	h.reachPresent()
	h.count++ // the process has moved
	clear(r.attempts.pending)
	clear(r.attempts.returning)
	r.records.unmapped, r.exiting, r.fresh = r.records.unmapped[:0], 0, false
	return r.refresh()
}

// Lent notes that the process was lent to another tracer: which pages were written since the
// last snapshot is no longer known.
func (r *Recorder) Lent() { r.history.count++ }

// Exits notes that the next step of the process ends it, and that this was reported.
func (r *Recorder) Exits() { r.exiting = r.history.End() + 1 }

// Exiting reports whether the next step ends the process, and that was reported.
func (r *Recorder) Exiting() bool { return r.exiting == r.history.End()+1 }

// Restart drops the history. It begins again at the present, which the process may have
// reached unrecorded, and which has the given position unless the history has come further.
func (r *Recorder) Restart(position uint64, reason string) error {
	r.restart(reason)
	r.history.own.log.clear(max(position, r.history.own.log.end()))
	r.history.reachPresent()
	r.history.count++
	r.view().threads, r.fresh = nil, false
	return r.refresh()
}

// Close releases the resources that the history holds besides its records. The history
// must not be used afterwards.
func (h *History) Close() error {
	if h.earlier == nil {
		return nil
	}
	return h.earlier.Close()
}

// Earlier returns what [Recorder.Follow] was given, or nil, and whether there are no records
// after it.
func (h *History) Earlier() (part Part, last bool) {
	if h.earlier == nil {
		return nil, false
	}
	return h.earlier, h.End() == h.own.log.oldest()
}

// dropEarlier drops what is before the recorder's own records, and closes it unless another part
// continues it. The view is at the present.
func (h *History) dropEarlier(next Part) {
	if h.earlier == nil {
		return
	}
	for _, w := range [...]*Records{h.Steps.near, h.heldWindow()} {
		if w != nil {
			h.Steps.past.Drop(w)
		}
	}
	if w := h.heldWindow(); w != nil {
		w.view.memory.clear()
	}
	if h.earlier != next {
		_ = h.earlier.Close() // its processes end with this one otherwise
	}
	h.Steps.past, h.earlier, h.Steps.near, h.held, h.Steps.failure = h.own, nil, nil, nil, nil
}

// MadeRoom returns why older records were dropped from a history with a limit in bytes.
func MadeRoom(budget int) string {
	return fmt.Sprintf("older records made room: %d MiB are kept in memory; debugger/launch and debugger/attach keep more with history_memory, or in a file with history_file", budget>>20)
}

// MadeRoomInFile is MadeRoom for a limit of a file.
func MadeRoomInFile(budget int) string {
	return fmt.Sprintf("older records made room: %d MiB are kept in a file; debugger/launch and debugger/attach keep more with history_file", budget>>20)
}
