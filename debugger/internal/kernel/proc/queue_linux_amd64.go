package proc

import (
	"golang.org/x/sys/unix"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
)

// An eventQueue holds events that arrived while another one was handled.
type eventQueue struct{ events []ptrace.Event }

// add stores an event that arrived while another one was handled.
func (q *eventQueue) add(e ptrace.Event) { q.events = append(q.events, e) }

func (q *eventQueue) take() (ptrace.Event, bool) {
	if len(q.events) == 0 {
		return ptrace.Event{}, false
	}
	e := q.events[0]
	q.events = q.events[1:]
	return e, true
}

// pending reports whether events are pending. A stopped process has none unless
// it was killed or has an announced child. They may belong to another process of
// this program, in which case a call to the tracer's thread is wasted.
func (q *eventQueue) pending() bool {
	if len(q.events) > 0 {
		return true
	}
	var info unix.Siginfo
	const flags = unix.WEXITED | unix.WSTOPPED | unix.WNOHANG | unix.WNOWAIT | unix.WALL
	err := unix.Waitid(unix.P_ALL, 0, &info, flags, nil)
	return err != nil || info.Signo != 0
}
