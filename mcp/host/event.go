package host

import (
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// An Event describes an answered request, for audit trails and metrics. It
// contains no arguments and no results, so that no secrets reach a record. It is
// valid until the observer returns.
type Event struct {
	Caller Caller
	// Method is the method as sent. Known reports whether it exists.
	Method string
	Known  bool
	// Probe reports whether the request only checked that a server is there;
	// such requests need not be recorded. Browsing reports whether it only
	// listed what the server offers.
	Probe, Browsing bool
	// Family and Target are the family and the documented name of the tool.
	// Without a Family, Target is the URI of a resource or the name of a
	// prompt.
	Family, Target string
	Started        time.Time
	Took           time.Duration
	// RequestID is the id of the request: a number, or the text of a string.
	// It is set only if the server traces requests. Revision governs the request; nil if
	// it could not be determined.
	RequestID string
	Revision  *Revision
	// Code is the code of the error answer, 0 if there is a result.
	Code jsonrpc.Code
	// Failed reports whether the result is an error of the tool.
	Failed bool
	// Cancelled reports whether the request was cancelled and is not
	// answered.
	Cancelled bool
	// Task reports whether the call became a task. The end of a task is an
	// event of its own with the Method [TaskEnd], whose Started is the time
	// of the end.
	Task bool
	// LookUp reports whether the request changed nothing and showed neither
	// credentials nor data of another caller, according to the rows of its
	// method and its tool. Everything else counts as a change.
	LookUp bool
	// Details holds the facts from the Details of the tool.
	Details map[string]string
}

// Methods of events that are not requests: the end of a task, and of the session
// that an initialize request started. Started is when it ended, and Took how
// long it lasted.
const (
	TaskEnd    = "task/end"
	SessionEnd = "session/end"
)

// IsRequest reports whether the event is a request, rather than the end of a task
// or session. A request with such an invented method is a request.
func (e *Event) IsRequest() bool {
	return !e.Known || e.Method != TaskEnd && e.Method != SessionEnd
}

// A TraceContext is the W3C trace context in _meta of a request (SEP-414) as the
// client sent it; it may be invalid.
type TraceContext struct{ Parent, State string }
