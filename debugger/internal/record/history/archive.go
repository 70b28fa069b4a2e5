package history

import (
	"context"
	"fmt"
	"io"
)

// An Archive is a [Finder] of what was recorded before the records of a [Recorder], see
// [Recorder.Archive]. Its bounds may move forward only.
type Archive interface {
	Finder
	io.Closer

	// Bytes returns how much memory the archive takes.
	Bytes() int

	// Inputs calls f with the kinds of the records from a position on that are system
	// calls, with their numbers, signals or unrecorded runs.
	Inputs(ctx context.Context, from uint64, f func(kind Kind, number uint64)) error

	// CheckCut returns why the archive cannot end at a position. Cut makes it end there.
	CheckCut(position uint64) error
	Cut(position uint64)
}

// A tail is the records after an archive, up to the present.
type tail struct {
	archive Archive
	first   uint64   // position of its first record
	kept    *History // has its records and view while the view is in the archive, else nil
}

// Archive makes an archive the history up to the present, in place of what was recorded. The
// process has moved to the last position of the archive. The history may take as many bytes
// as the archive leaves, but always some. The archive is closed when the history is dropped
// or restarts.
func (r *Recorder) Archive(archive Archive, reason string) error {
	h := r.history
	if _, err := h.Seek(h.End()); err != nil {
		return err
	}
	return r.follow(archive, reason)
}

// follow begins the records after an archive.
func (r *Recorder) follow(archive Archive, reason string) error {
	h := r.history
	h.dropArchive(archive)
	_, last := archive.Bounds()
	h.source, h.tail, h.reason = archive, &tail{archive: archive, first: last}, reason
	h.log.budget = max(MinBudget, r.options.Budget-archive.Bytes())
	h.log.clear(last)
	h.view.threads = nil
	h.reachPresent()
	h.count++ // the process has moved
	clear(r.pending)
	clear(r.returning)
	r.unmapped, r.exiting, r.fresh = r.unmapped[:0], 0, false
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
	r.history.log.clear(max(position, r.history.log.end()))
	r.history.reachPresent()
	r.history.count++
	r.view().threads, r.fresh = nil, false
	return r.refresh()
}

// Close releases the resources that the history holds besides its records. The history
// must not be used afterwards.
func (h *History) Close() error {
	if h.tail == nil {
		return nil
	}
	return h.tail.archive.Close()
}

// Archived returns the archive, or nil, and whether there are no records after it.
func (h *History) Archived() (archive Archive, last bool) {
	if h.tail == nil {
		return nil, false
	}
	return h.tail.archive, h.End() == h.tail.first
}

// dropArchive drops the archive, and closes it unless another one continues it. The view is
// at the present.
func (h *History) dropArchive(next Archive) {
	if h.tail == nil {
		return
	}
	for _, w := range [...]*History{h.window, h.near, h.heldWindow()} {
		if w != nil {
			h.source.Drop(w)
		}
	}
	if h.held != nil {
		h.held.view.memory.clear()
	}
	if h.tail.archive != next {
		_ = h.tail.archive.Close() // its processes end with this one otherwise
	}
	h.source, h.tail, h.window, h.near, h.held, h.failure = nil, nil, nil, nil, nil, nil
}

// away reports whether the view is in the archive.
func (h *History) away() bool { return h.tail != nil && h.tail.kept != nil }

// leave gives back the window of the view and the pages of its memory, or keeps the records and
// the view of the tail, if the view is there. Another view must follow.
func (h *History) leave() error {
	if err := h.leaveWindow(); err != nil {
		return err
	}
	if h.tail != nil && h.tail.kept == nil {
		h.tail.kept = &History{log: h.log, view: h.view}
		return nil
	}
	h.view.memory.clear()
	return nil
}

// enterTail moves the view to where it was when it left the tail.
func (h *History) enterTail() error {
	if err := h.leave(); err != nil {
		return err
	}
	h.window, h.log, h.view = nil, h.tail.kept.log, h.tail.kept.view
	h.tail.kept = nil
	return nil
}

// crossToTail moves the view from the end of the archive to the beginning of the tail.
func (h *History) crossToTail() error {
	if !h.away() || h.view.position != h.tail.first {
		return nil
	}
	if err := h.enterTail(); err != nil {
		return err
	}
	return h.walk(h.tail.first, new(Traversal))
}

// inTail returns the records of the tail if the view is in the archive and the tail has
// the record at a position.
func (h *History) inTail(position uint64) (*History, bool) {
	if h.away() && h.tail.kept.log.has(position) {
		return h.tail.kept, true
	}
	return nil, false
}

// sourceEnd returns the position after the last record of the source.
func (h *History) sourceEnd() uint64 {
	_, last := h.source.Bounds()
	return last
}

// MadeRoom returns why older records were dropped from a history with a limit in bytes.
func MadeRoom(budget int) string {
	return fmt.Sprintf("older records made room: %d MiB are kept in memory; debugger/launch and debugger/attach keep more with history_memory, or in a file with history_file", budget>>20)
}

// MadeRoomInFile is MadeRoom for a limit of a file.
func MadeRoomInFile(budget int) string {
	return fmt.Sprintf("older records made room: %d MiB are kept in a file; debugger/launch and debugger/attach keep more with history_file", budget>>20)
}
