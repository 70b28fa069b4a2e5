package dap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/google/go-dap"
)

// maxPending bounds what waits, before one more message, for a client that does not read.
const maxPending = 16 << 20

// errSlow ends a conversation with a client that does not read.
var errSlow = errors.New("the client has stopped reading")

// A writer sends messages in order on a goroutine of its own, so that a client
// that does not read cannot block the server. Its methods may be called from
// any goroutine.
type writer struct {
	to     io.Writer
	failed func(error) // called at most once, when the client cannot be written to; must not call the writer
	done   chan struct{}

	mu      sync.Mutex
	more    *sync.Cond
	seq     int
	pending bytes.Buffer
	err     error
	closed  bool
}

// newWriter returns a writer; the caller runs its method run.
func newWriter(to io.Writer, failed func(error)) *writer {
	w := &writer{to: to, failed: failed, done: make(chan struct{})}
	w.more = sync.NewCond(&w.mu)
	return w
}

// A responseMessage is the answer to a request.
type responseMessage struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// An eventMessage tells the client what happened.
type eventMessage struct {
	dap.Event
	Body any `json:"body,omitempty"`
}

// respond sends the response to a request.
func (w *writer) respond(r requestMessage, body any, err error) {
	m := &responseMessage{Body: body}
	m.Type, m.RequestSeq, m.Command, m.Success = "response", r.Seq, r.Command, err == nil
	if err != nil {
		text := err.Error()
		m.Message = text
		m.Body = dap.ErrorResponseBody{Error: &dap.ErrorMessage{
			Id: 1, Format: "{text}", Variables: map[string]string{"text": text}, ShowUser: true,
		}}
	}
	w.send(&m.Seq, m)
}

// event sends an event.
func (w *writer) event(name string, body any) {
	m := &eventMessage{Body: body}
	m.Type, m.Event.Event = "event", name
	w.send(&m.Seq, m)
}

// send queues a message and gives it the next number.
func (w *writer) send(seq *int, m any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil || w.closed {
		return
	}
	w.seq++
	*seq = w.seq
	content, err := json.Marshal(m)
	switch {
	case err != nil:
	case w.pending.Len() > maxPending:
		err = errSlow
	default:
		err = dap.WriteBaseMessage(&w.pending, content)
	}
	if err != nil {
		w.failLocked(err)
	}
	w.more.Signal()
}

func (w *writer) failLocked(err error) {
	if w.err == nil && !w.closed {
		w.err = err
		w.failed(err)
	}
}

// run writes until the writer is closed or fails.
func (w *writer) run() {
	defer close(w.done)
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for w.pending.Len() == 0 && !w.closed && w.err == nil {
			w.more.Wait()
		}
		if w.pending.Len() == 0 || w.err != nil {
			return
		}
		batch := bytes.Clone(w.pending.Bytes())
		w.pending.Reset()
		w.mu.Unlock()
		_, err := w.to.Write(batch)
		w.mu.Lock()
		if err != nil {
			w.failLocked(err)
			return
		}
	}
}

// flushTime bounds the wait for a client to read the last messages.
const flushTime = 2 * time.Second

// close refuses further messages and waits until those before are written, for
// a short time.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.more.Signal()
	w.mu.Unlock()
	select {
	case <-w.done:
	case <-time.After(flushTime):
	}
}
