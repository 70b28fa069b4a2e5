package jsonrpc

import (
	"context"
	"log/slog"
)

// A Body is one text that was decoded as a whole, such as the body of an HTTP request:
// one message, or a batch of them. It shares the memory of the text.
type Body struct {
	Messages []Message // one, or those of the batch; never none
	Batch    bool

	limit int // bytes of a batch's answers, after which the rest is refused
	log   *slog.Logger
}

// A Message is one decoded message. Exactly one field is set, except that a
// broken message has an ID when that could be read.
type Message struct {
	Request  *Request  // a request or a notification
	Response *Response // an answer to what we asked
	Err      *Error    // why it is neither
	ID       ID        // of a broken message
}

// Decode reads a whole text: one message, or an array of them (section 6). It
// checks every byte, and allocates once for a single request. The error is the
// answer to all of it: -32700 when it is no JSON, -32600 when it is longer than cfg
// allows, or an empty or too long batch. The body shares memory with text, and logs to cfg's logger.
func Decode(text []byte, cfg Config) (Body, *Error) {
	cfg = cfg.withDefaults()
	if len(text) > cfg.MaxMessage {
		return Body{}, tooLong(cfg.MaxMessage)
	}
	text = trimMark(text)
	if isBatch(text) {
		items, err := newDecoder(cfg.MaxDepth).decodeBatch(text, cfg.MaxBatch)
		return Body{exported(make([]Message, len(items)), items), true, cfg.MaxBatchAnswer, cfg.Logger}, err
	}
	d := decoder{depth: cfg.MaxDepth, shared: &bodyMethods}
	var m message
	d.decode(text, &m)
	if m.kind == isRequest {
		one := &struct { // in one piece of memory
			message [1]Message
			request Request
		}{request: m.request}
		one.message[0].Request = &one.request
		return Body{Messages: one.message[:], log: cfg.Logger}, nil
	}
	if m.err != nil && m.err.Code == CodeParseError && m.request.ID.IsZero() {
		return Body{}, m.err
	}
	return Body{Messages: exported(make([]Message, 1), []message{m}), log: cfg.Logger}, nil
}

// tooLong is the error of a message of more than limit bytes.
func tooLong(limit int) *Error {
	return invalidRequest("a message may have %d bytes at most", limit)
}

// exported fills messages from items and returns them.
func exported(messages []Message, items []message) []Message {
	for i := range items {
		switch m := &items[i]; m.kind {
		case isRequest:
			messages[i].Request = &m.request
		case isResponse:
			messages[i].Response = &m.response
		case isBroken:
			messages[i].Err, messages[i].ID = m.err, m.request.ID
		}
	}
	return messages
}

// Answered reports whether the body gets an answer. A body of notifications and
// responses gets none.
func (b *Body) Answered() bool {
	for _, m := range b.Messages {
		if m.Err != nil || m.Request != nil && !m.Request.IsNotification() {
			return true
		}
	}
	return false
}

// Answer runs the requests one after another and appends the answer to the
// whole body to dst, or nothing if no message wants one. Notifications and
// responses are passed over, and a [BatchGuard] is asked first. Requests behind
// answers of more than [Config].MaxBatchAnswer are refused without being run.
func (b *Body) Answer(ctx context.Context, h Handler, dst []byte) []byte {
	if !b.Batch {
		return b.Messages[0].answer(ctx, h, dst, b.log)
	}
	if guard, ok := h.(BatchGuard); ok {
		if err, null := guard.GuardBatch(b.requests()); err != nil {
			return appendRefusal(dst, ID{}, null, err)
		}
	}
	start := len(dst)
	for i := range b.Messages {
		mark := len(dst)
		dst = append(dst, ',')
		if req := b.Messages[i].Request; mark-start > b.limit && req != nil && !req.IsNotification() {
			dst = appendRefusal(dst, req.ID, true, batchTooLarge(b.limit))
		} else {
			dst = b.Messages[i].answer(ctx, h, dst, b.log)
		}
		if len(dst) == mark+1 {
			dst = dst[:mark] // not answered
		}
	}
	if len(dst) == start {
		return dst
	}
	dst[start] = '['
	return append(dst, ']')
}

// batchTooLarge refuses what comes behind answers that are large already. It has
// not been run.
func batchTooLarge(limit int) *Error {
	return invalidRequest("the answers of a batch may have %d bytes at most; send this request again in another one", limit)
}

// requests returns copies of the requests and notifications in the body's order.
func (b *Body) requests() []Request {
	var requests []Request
	for _, m := range b.Messages {
		if m.Request != nil {
			requests = append(requests, *m.Request)
		}
	}
	return requests
}

// answer appends the response to the message, if there is to be one: responses of the
// other side and notifications have none. A message that is no request is refused with
// the id null unless the handler's IDPolicy says otherwise.
func (m *Message) answer(ctx context.Context, h Handler, dst []byte, log *slog.Logger) []byte {
	switch {
	case m.Err != nil:
		return appendRefusal(dst, m.ID, nullID(h), m.Err)
	case m.Request != nil && !m.Request.IsNotification():
		return answer(ctx, h, m.Request, dst, log)
	}
	return dst
}

// nullID asks the handler's [IDPolicy].
func nullID(h Handler) bool {
	policy, ok := h.(IDPolicy)
	return !ok || policy.NullID()
}
