package jsonrpc

import (
	"errors"
	"sync"
)

// A batch gathers the answers to the messages of one array (JSON-RPC 2.0, section 6);
// they go out together when the last is there. Section 6 lets a server answer them in any
// order: here it is the order in which they are ready.
type batch struct {
	mu   sync.Mutex
	left int
	out  []byte
}

// add takes one answer, which may be empty, and writes the array after the
// last one. A batch of notifications alone is not answered.
func (b *batch) add(c *Conn, answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(answer) > 0 {
		b.out = append(append(b.out, ','), answer...)
	}
	if b.left--; b.left == 0 && len(b.out) > 0 {
		b.out[0] = '['
		_ = c.out.put(append(b.out, ']'), true) // a dead stream is found by the reader
	}
}

// size returns how many bytes of answers there are.
func (b *batch) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.out)
}

// handleBatch serves an array of messages. Its requests run beside the reader, each on
// its own, so that a slow one delays only the batch. It returns when all are queued.
func (c *Conn) handleBatch(line []byte) {
	items, err := c.decoder.decodeBatch(line, c.cfg.MaxBatch)
	if err != nil {
		c.refuseLine(err)
		return
	}
	if c.guard != nil {
		if err, null := c.guard.GuardBatch(requestsOf(items)); err != nil {
			_ = c.out.put(appendRefusal(nil, ID{}, null, err), false) // a dead stream is found by the reader
			return
		}
	}
	b := &batch{left: 1} // ours, so that it does not end before all are in
	for i := range items {
		c.handleItem(b, &items[i])
	}
	b.add(c, nil)
}

// decodeBatch checks the array and decodes its elements, at most limit.
func (d *decoder) decodeBatch(text []byte, limit int) ([]message, *Error) {
	if err := Valid(text, d.depth); err != nil {
		return d.salvageBatch(text, limit)
	}
	var items []message
	elements := Elements(text[skipSpace(text, 0):])
	for elements.Next() {
		if len(items) == limit {
			return nil, batchTooLong(limit)
		}
		var m message
		d.decode(elements.Value(), &m)
		items = append(items, m)
	}
	if len(items) == 0 {
		return nil, invalidRequest("a batch must have at least one message")
	}
	return items, nil
}

// batchTooLong refuses a batch of more than limit messages.
func batchTooLong(limit int) *Error {
	return invalidRequest("a batch may have %d messages at most", limit)
}

// salvageBatch decodes the elements of an array that is not valid. Elements that are
// nested too deeply or not in UTF-8 are answered each with its id; all else that is
// wrong refuses the whole batch.
func (d *decoder) salvageBatch(text []byte, limit int) ([]message, *Error) {
	d.depth--
	defer func() { d.depth++ }()
	var items []message
	for i := skipSpace(text, 0) + 1; ; i++ {
		i = skipSpace(text, i)
		end, err := scanValue(text, i, d.depth)
		if err != nil {
			var f idFinder
			length := -1
			if syntax, ok := errors.AsType[*SyntaxError](err); ok && (syntax.What == tooDeep || syntax.What == notUTF8) {
				length = f.feed(text[i:])
			}
			if length < 0 {
				return nil, parseError(err)
			}
			end = i + length
		}
		if len(items) == limit {
			return nil, batchTooLong(limit)
		}
		var m message
		if d.decode(text[i:end], &m); err != nil && m.request.ID.IsZero() {
			return nil, d.refusal(err)
		}
		items = append(items, m)
		switch i = skipSpace(text, end); {
		case i < len(text) && text[i] == ',':
		case i < len(text) && text[i] == ']' && skipSpace(text, i+1) == len(text):
			return items, nil
		case i < len(text) && text[i] == ']':
			return nil, parseError(&SyntaxError{skipSpace(text, i+1), afterValue})
		default:
			return nil, parseError(&SyntaxError{i, "expected a comma or the end of the array"})
		}
	}
}

// requestsOf returns the requests and notifications of a batch in their order, without
// responses and messages that are no JSON-RPC.
func requestsOf(items []message) []Request {
	requests := make([]Request, 0, len(items))
	for i := range items {
		if items[i].kind == isRequest {
			requests = append(requests, items[i].request)
		}
	}
	return requests
}

// handleItem serves one element; requests run beside the reader.
func (c *Conn) handleItem(b *batch, m *message) {
	switch {
	case m.kind == isBroken:
		b.expect(1)
		b.add(c, appendRefusal(nil, m.request.ID, c.policy == nil || c.policy.NullID(), m.err))
	case m.kind == isResponse:
		c.calls.answer(&m.response)
	case m.request.IsNotification() && c.preempt != nil && c.preempt.Preempt(&m.request):
	default:
		b.expect(1)
		j := c.newJob(&m.request)
		j.batch = b
		if c.sequencer != nil {
			j.sequence = c.sequencer.Sequence(&m.request)
		}
		if !c.scheduler.submit(j) {
			b.add(c, appendRefusal(nil, j.req.ID, true, invalidRequest("a request with this id is still being answered")))
		}
	}
}

// expect announces n more answers. The batch is sent when as many have come as were
// expected, so it is called before the requests start.
func (b *batch) expect(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left += n
}
