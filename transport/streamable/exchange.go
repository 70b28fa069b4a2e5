package streamable

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/internal/budget"
)

// An exchange runs the requests of one body and sends their answer. It is the
// [jsonrpc.Sender] of its requests: the first message makes the answer a stream.
//
// Up to serve it belongs to the goroutine of the HTTP handler. From then on the requests
// may run on a second goroutine; what both use is below mu. The HTTP handler can return
// first, when its client disconnects: detached tells the requests.
type exchange struct {
	h       *Handler
	to      route
	id      jsonrpc.ID   // of a body that is one request; shares no memory with it
	batch   bool         // the body is a batch
	body    jsonrpc.Body // until it was answered
	hold    *budget.Hold // the memory of the body
	slot    *budget.Hold // one of the running requests
	settled func()       // from [pressure.Gate], nil if the requests have not passed it
	accepts acceptance
	handler *mcp.Handler
	probe   bool  // the body is a single probe
	refused bool  // the body is a batch, refused with one error
	err     error // of the last request, for the status

	values context.Context // of the HTTP request, without its cancellation
	ctx    context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer // cancels requests that send nothing for too long

	mu       sync.Mutex
	endless  bool        // the timer has stopped for good
	stream   *stream     // nil while there is none
	ready    chan []byte // gets the answer of requests with a goroutine of their own, or nil for a stream
	detached bool        // the HTTP handler has returned: no stream can be opened

	ended bool // likewise: it must not become a listen; guarded by the endpoint's mu
}

// The causes of cancellation, besides a client that disconnected. They are compared with
// [context.Cause] to find out which error the answer has.
var (
	errTooLong   = errors.New("the request took too long")
	errCancelled = errors.New("the client cancelled the request")
)

// serve answers a body that has a request, and returns when the answer was sent, or the client
// has disconnected. The requests of a session may run on after it.
//
//	serve ─┬─ no stream possible ── answer ── reply            on this goroutine
//	       └─ respondAsync ─┬─ work ── answer ── finish        on one of its own
//	                        └─ reply, copy or abandon          here, as ready says
func (e *exchange) serve(w http.ResponseWriter, r *http.Request) {
	h := e.h
	e.id, e.batch = onlyID(&e.body).Clone(), e.body.Batch
	e.probe, e.values = e.to.view.Probe, context.WithoutCancel(r.Context())
	if e.to.session != nil {
		e.begin(e.values) // its requests outlive a lost connection
	} else {
		e.begin(r.Context())
		h.principals.add(e.to.caller.Principal.ID)
	}
	streams := e.accepts.stream && !(e.to.silent && e.accepts.json)
	if streams {
		e.ready, e.to.caller.Send = make(chan []byte, 2), e // a stream may be opened after the answer
	}
	e.handler = h.cfg.Server.Bind(e.to.caller, nil)
	e.handler.Reuse(&e.to.view)
	e.register()
	if streams {
		e.respondAsync(w, r)
		return
	}
	defer e.leave()
	defer e.release()
	h.running.add() // also during Shutdown: requests that were half sent then get their answers
	defer h.running.done()
	out := e.answer()
	e.settle() // the client may not read it
	e.reply(w, out)
}

// begin derives the context of the requests from parent. It is also cancelled when the
// requests send nothing for the endpoint's Timeout, with the cause errTooLong.
// [exchange.release] ends both.
func (e *exchange) begin(parent context.Context) {
	e.ctx, e.cancel = context.WithCancelCause(parent)
	cancel := e.cancel // a task that keeps the context must not keep the body
	e.timer = time.AfterFunc(e.h.cfg.Timeout, func() { cancel(errTooLong) })
}

// extend gives the requests d from now on until they are cancelled. Each message to the
// client calls it: a request that reports progress may run for as long as it likes.
func (e *exchange) extend(d time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.endless {
		e.timer.Reset(d)
	}
}

// unlimit stops the timer for good: a listen has no end of its own. A later extend does
// nothing.
func (e *exchange) unlimit() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.endless = true
	e.timer.Stop()
}

// respondAsync runs the requests on a goroutine of their own and writes the answer, or
// the stream if a message precedes it. The requests decide which by what they send to
// ready; a client that disconnects before that gets neither.
func (e *exchange) respondAsync(w http.ResponseWriter, r *http.Request) {
	if !e.h.run(e) {
		e.hold.Release()
		e.leave()
		e.release()
		e.h.refuse(e.values, w, &e.to.caller, closing())
		return
	}
	select {
	case out := <-e.ready:
		if out == nil {
			e.copy(w, r)
		} else {
			e.reply(w, out)
		}
	case <-r.Context().Done():
		e.abandon()
	}
}

// work runs the requests for respondAsync, on their goroutine.
func (e *exchange) work() {
	defer e.h.running.done()
	defer e.leave()
	e.finish(e.answer())
}

// closing is the refusal of requests that come while the server shuts down (503). A proxy
// may send them to another server.
func closing() *Refusal {
	return refusal(http.StatusServiceUnavailable, jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").
		WithDetails("the server is shutting down"))
}

// register adds the exchange to its session, where its requests can be cancelled by their ids.
// [exchange.leave] undoes it.
func (e *exchange) register() {
	if e.to.session != nil {
		e.to.session.addExchange(e)
	}
}

// yield releases the slot of a running request and its share of the memory limit.
func (e *exchange) yield() {
	e.slot.Release()
	e.settle()
}

// settle tells the gate that the requests have allocated what they need.
func (e *exchange) settle() {
	if e.settled != nil {
		e.settled()
	}
}

// leave undoes register and yields.
func (e *exchange) leave() {
	e.yield()
	if e.to.session != nil {
		e.to.session.removeExchange(e)
	}
}

// answer runs the requests and returns the answer, empty when there is none. When the barrier
// fails, an error takes the place of the answer: what was done may be lost, so the client must
// not be told that it was. The memory of the body is free afterwards, so nothing of it may be
// used. It is called once, by the goroutine that runs the requests.
func (e *exchange) answer() []byte {
	if broken := e.body.Messages[0].Err; broken != nil {
		e.err = broken // the status of a body that is one message depends on it
	}
	out := e.body.Answer(e.ctx, requestHandler{e}, make([]byte, 0, initialAnswer))
	if err := e.barrier(); err != nil && (e.err == nil || e.isArray()) { // for a batch, err is that of the last request
		e.h.cfg.Logger.Error("answer withheld", "err", err)
		e.err = err
		out = jsonrpc.AppendError(out[:0], e.id, hasNullID(e.to.rev), jsonrpc.ErrorOf(err))
	}
	e.body, e.to.view = jsonrpc.Body{}, host.Preview{}
	e.hold.Release()
	return out
}

// initialAnswer is the capacity in bytes with which an answer begins.
const initialAnswer = 512

// isArray reports whether the answer is an array of answers. A batch that was refused as
// a whole has one error as its answer, and the status of that.
func (e *exchange) isArray() bool { return e.batch && !e.refused }

// barrier waits until the records of the requests are on disk. Cancelled requests have
// records too; probes have none.
func (e *exchange) barrier() error {
	if e.probe {
		return nil
	}
	return e.h.cfg.Barrier(e.values)
}

// release stops the timer and ends the context. A second call does nothing.
func (e *exchange) release() {
	e.timer.Stop()
	e.cancel(nil)
}

// A requestHandler handles the requests of an exchange, one after the other, and records
// their errors. It stands between the body and the bound [mcp.Handler].
type requestHandler struct{ e *exchange }

// Handle implements [jsonrpc.Handler]. It records how the request ended, from which the
// status of the answer follows: cancelled by the client, which gets no answer; ended by
// the time limit; or with the error of the handler. A handler that panics leaves
// errPanicked.
func (w requestHandler) Handle(ctx context.Context, req *jsonrpc.Request, dst []byte) ([]byte, error) {
	e := w.e
	e.err = errPanicked
	out, err := e.handler.Handle(ctx, req, dst)
	switch cause := context.Cause(e.ctx); {
	case err == nil:
	case errors.Is(cause, errCancelled):
		e.err = nil
		return out, jsonrpc.ErrNoAnswer
	case errors.Is(cause, errTooLong):
		err = jsonrpc.Errorf(jsonrpc.CodeInternalError, "Internal error").
			WithDetails("the request took longer than %v; ask for progress to keep it going", e.h.cfg.Timeout)
	}
	e.err = err
	if errors.Is(err, jsonrpc.ErrNoAnswer) {
		e.err = nil
		e.h.addListen(e)
	}
	return out, err
}

// errPanicked is the outcome of a handler that did not return.
var errPanicked = errors.New("the handler panicked")

// GuardBatch implements [jsonrpc.BatchGuard] by the handler of the session. A batch that it
// refuses has one error as its answer.
func (w requestHandler) GuardBatch(items []jsonrpc.Request) (*jsonrpc.Error, bool) {
	err, nullID := w.e.handler.GuardBatch(items)
	if err != nil {
		w.e.err, w.e.refused = err, true
	}
	return err, nullID
}

// NullID implements [jsonrpc.IDPolicy] by the revision of the request.
func (w requestHandler) NullID() bool { return hasNullID(w.e.to.rev) }
