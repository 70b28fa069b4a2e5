package jsonrpc

import "context"

// A Request asks for a method to be run (section 4). Without an id it is a
// notification (section 4.1), which is never answered. ID and Params share the
// memory of the message and are valid until the handler returns; Method may be
// kept.
type Request struct {
	ID     ID
	Method string
	Params []byte // an object or an array as checked JSON, nil when absent
}

// IsNotification reports whether the request has no id and so gets no answer.
func (r *Request) IsNotification() bool { return r.ID.IsZero() }

// A Response answers a request (section 5): with a result, or with an error. It
// shares the memory of the message.
type Response struct {
	ID     ID
	Result []byte // checked JSON, nil when there is an error
	Error  *Error
}

// A Handler answers requests. [MethodMap] is one that decodes and encodes with
// encoding/json.
//
// Handle appends the JSON of the result to dst and returns it, like append; the
// bytes that are there already must stay. Nothing appended is the result null.
// The result of a notification is discarded. An error is answered as [ErrorOf]
// says; [ErrNoAnswer] is not answered. A panic is logged and answered with an
// internal error.
//
// ctx is done when the request is cancelled ([Conn.Cancel]), when it has been
// answered, and when the connection ends. Handlers of one connection may run at
// the same time, except as a [Sequencer] says.
type Handler interface {
	Handle(ctx context.Context, req *Request, dst []byte) ([]byte, error)
}

// A HandlerFunc is a function as a [Handler].
type HandlerFunc func(ctx context.Context, req *Request, dst []byte) ([]byte, error)

// Handle calls f.
func (f HandlerFunc) Handle(ctx context.Context, req *Request, dst []byte) ([]byte, error) {
	return f(ctx, req, dst)
}

// A Sequencer is a Handler that wants order: requests with the same sequence run in
// the order in which they came, "" has none. Sequence may be called while the same
// request is being handled.
type Sequencer interface{ Sequence(req *Request) string }

// A Preempter sees every notification before all that waits, on the reading
// goroutine. It must not block. It reports whether the notification is done.
type Preempter interface{ Preempt(req *Request) bool }

// A BlockingHandler is a Handler with requests that everything behind them depends on,
// such as a handshake: they keep the reading role however long they take, so
// the next message is looked at when they are answered. They must be quick.
type BlockingHandler interface{ Blocks(req *Request) bool }

// A BatchGuard may refuse a whole batch; its error is the only answer, and
// nullID reports whether that has "id":null or no id.
type BatchGuard interface {
	GuardBatch(items []Request) (refused *Error, nullID bool)
}

// An IDPolicy selects whether an answer to a message whose id cannot be read has
// "id":null, as JSON-RPC 2.0 asks, or no id, as MCP's schemas ask. Without the
// interface it is null.
type IDPolicy interface{ NullID() bool }

// An IDReuser decides whether a request may have the id of one that is still being
// answered. It then runs after that one, so that the answers come in the order of the
// requests. Without the interface such a request is refused.
type IDReuser interface{ ReusesID(req *Request) bool }

// A Sender sends messages to the other side. Its methods may be called from any
// goroutine. A handler must not call Call while it runs as a [BlockingHandler],
// since the answer would not be read.
type Sender interface {
	// Notify sends a notification; params are JSON or nil.
	Notify(ctx context.Context, method string, params []byte) error
	// Call sends a request and waits for its result. The other side's error
	// comes as an [*Error].
	Call(ctx context.Context, method string, params []byte) ([]byte, error)
}
