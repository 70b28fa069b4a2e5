package dap

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/google/go-dap"
	"golang.org/x/sync/semaphore"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// tickTime is the interval at which output of a program is passed on.
const tickTime = 50 * time.Millisecond

// touchTime is the interval at which the session of an owner is kept from
// being idle, as people think for longer than its time-out.
const touchTime = time.Minute

// A server serves one client. Its parts answer the requests; each uses only those before
// it.
type server struct {
	client      *client
	breakpoints *breakpoints
	looks       *looks
	moves       *moves
	settings    *settings
	lifecycle   *lifecycle
	console     *console

	handlers map[string]handler    // by command
	requests <-chan requestMessage // closed at the end of the input
	queued   *semaphore.Weighted   // bytes of the requests that wait
	greeted  bool                  // initialize was answered
}

func newServer(c *client) *server {
	v := &server{client: c, queued: semaphore.NewWeighted(maxQueuedBytes)}
	v.breakpoints = &breakpoints{client: c}
	v.looks = &looks{client: c, breakpoints: v.breakpoints}
	v.moves = &moves{client: c, breakpoints: v.breakpoints, looks: v.looks, ended: make(chan ended, 1)}
	v.settings = &settings{client: c, breakpoints: v.breakpoints, looks: v.looks, moves: v.moves}
	v.lifecycle = &lifecycle{client: c, breakpoints: v.breakpoints, looks: v.looks, moves: v.moves, settings: v.settings, touched: time.Now()}
	v.console = &console{client: c, looks: v.looks, moves: v.moves}
	v.handlers = v.commands()
	return v
}

// Serve serves one client until it disconnects, the session ends or ctx is
// done. It closes the connection. The session is nil for an owner.
func Serve(ctx context.Context, conn io.ReadWriteCloser, sessions *session.Registry, s *session.Session, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	requests := make(chan requestMessage, maxQueued)
	v := newServer(&client{Options: o, sessions: sessions, s: s, out: newWriter(conn, cancel), sources: map[string]bool{}})
	v.requests = requests
	go v.client.out.run()
	read := make(chan error, 1)
	go func() {
		defer close(requests)
		err := v.read(ctx, newReader(conn), requests)
		v.client.flight.cancelCurrent()
		read <- err
	}()
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err := v.serve(ctx)
	leaveErr := v.lifecycle.leave(ctx)
	v.client.out.close()
	cause := context.Cause(ctx)
	cancel(nil)
	unhook()
	closeErr := conn.Close()
	readErr := <-read
	if v.client.over {
		readErr = nil // the connection was closed on this side
	}
	if errors.Is(cause, errSlow) {
		err = cause
	}
	// Each on its own: a client that has gone must not hide another error.
	return errors.Join(session.UnlessGone(err), session.UnlessGone(leaveErr), session.UnlessGone(readErr), session.UnlessGone(closeErr))
}

// Limits of the requests that wait; more are not read.
const (
	maxQueued      = 256
	maxQueuedBytes = 2 * maxMessage
)

// read passes requests on until the input ends. Requests to cancel or to end
// take effect at once on the request that is handled.
func (v *server) read(ctx context.Context, from io.Reader, to chan<- requestMessage) error {
	in := newReader(from)
	for {
		content, err := readMessage(in)
		if err != nil {
			return err
		}
		r, err := decodeRequest(content)
		switch {
		case errors.Is(err, errNoRequest):
			continue
		case err != nil:
			v.client.out.respond(r, nil, err)
			continue
		}
		v.interrupt(r)
		r.size = int64(len(content))
		if v.queued.Acquire(ctx, r.size) != nil {
			return nil // ctx is done
		}
		select {
		case to <- r:
		case <-ctx.Done():
			return nil
		}
	}
}

// interrupt lets a request take effect that must not wait for its turn.
func (v *server) interrupt(r requestMessage) {
	switch r.Command {
	case "cancel":
		v.client.flight.cancelRequest(canceledBy(r.Arguments))
	case "disconnect", "terminate":
		v.client.flight.cancelCurrent()
	}
}

// serve answers requests and tells of stops until the conversation is over.
func (v *server) serve(ctx context.Context) error {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	for !v.client.over {
		select {
		case r, ok := <-v.requests:
			if !ok {
				return nil
			}
			v.queued.Release(r.size)
			v.handle(ctx, r)
		case end := <-v.moves.ended:
			v.moves.finished(ctx, end)
		case <-v.moves.stopOfOthers():
			v.moves.followed(ctx)
		case <-v.moves.sessionEnd():
			v.moves.sessionEnded()
		case <-ticker.C:
			v.tick()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// handle answers a request, and then does what it has put off.
func (v *server) handle(ctx context.Context, r requestMessage) {
	if v.client.s != nil && v.client.Role == session.Owner {
		v.client.sessions.Touch(v.client.s)
	}
	request, ok := v.client.flight.begin(ctx, r.Seq)
	if !ok {
		v.client.out.respond(r, nil, errCanceled)
		return
	}
	body, err := v.dispatch(request, r)
	if request.Err() != nil && err != nil {
		err = errCanceled
	}
	v.client.flight.end()
	v.client.out.respond(r, body, err)
	later := v.client.later
	v.client.later = nil
	for _, f := range later {
		f()
	}
}

// errCanceled is the message of canceled requests in the specification.
var errCanceled = errors.New("cancelled")

// tick passes on what a running program has written, and notices that others
// let the process run.
func (v *server) tick() {
	if !v.moves.closeAt.IsZero() && time.Now().After(v.moves.closeAt) {
		v.client.over = true
	}
	if v.client.s == nil || v.client.exited {
		return
	}
	if v.client.Role == session.Owner {
		v.client.takeOutput()
		if time.Since(v.lifecycle.touched) > touchTime {
			v.lifecycle.touched = time.Now()
			v.client.sessions.Touch(v.client.s)
		}
		return
	}
	if v.client.configured && v.moves.running == nil && !v.moves.moving && v.client.s.State().Status == session.Running {
		v.moves.moving = true
		v.client.out.event("continued", dap.ContinuedEventBody{AllThreadsContinued: true})
	}
}
