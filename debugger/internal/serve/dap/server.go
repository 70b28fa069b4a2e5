package dap

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/google/go-dap"
	"golang.org/x/sync/semaphore"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// Options configure Serve.
type Options struct {
	Role    session.Role
	NoWrite bool // memory, variables and registers are not written
	Log     *slog.Logger

	// Call calls a tool of the debugger that begins or ends a session, and
	// returns the id of the session. Only an owner needs it.
	Call func(ctx context.Context, tool string, arguments map[string]any) (string, error)
}

// gateTime bounds the wait for a session that others use.
const gateTime = 1500 * time.Millisecond

// tickTime is the interval at which output of a program is passed on.
const tickTime = 50 * time.Millisecond

// touchTime is the interval at which the session of an owner is kept from
// being idle, as people think for longer than its time-out.
const touchTime = time.Minute

// A server serves one client.
type server struct {
	Options
	sessions *session.Registry
	s        *session.Session // nil before launch or attach of an owner
	out      *writer
	requests <-chan requestMessage // closed at the end of the input
	queued   *semaphore.Weighted   // bytes of the requests that wait
	flight   inflight
	begins   sync.WaitGroup // calls of tools that begin a session

	client     dap.InitializeRequestArguments
	greeted    bool // initialize was answered
	configured bool // configurationDone was answered
	config     config
	origin     origin    // how the session of an owner began
	over       bool      // the conversation ends after this request
	exited     bool      // the client was told that the session has ended
	closeAt    time.Time // when a client of an ended session is disconnected; zero for none
	later      []func()

	running *running // an operation of this client, else nil
	ended   chan ended
	seen    uint64 // number of the stop that the client was told of
	moving  bool   // the client was told that others let the process run
	touched time.Time

	now         look
	breakpoints breakpoints
	signals     []string        // the exception filters that the client has chosen
	signalsDue  bool            // the process does not have them yet
	sources     map[string]bool // whether files exist, by path
}

// Serve serves one client until it disconnects, the session ends or ctx is
// done. It closes the connection. The session is nil for an owner.
func Serve(ctx context.Context, conn io.ReadWriteCloser, sessions *session.Registry, s *session.Session, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	requests := make(chan requestMessage, maxQueued)
	v := &server{
		Options: o, sessions: sessions, s: s, requests: requests, ended: make(chan ended, 1),
		queued: semaphore.NewWeighted(maxQueuedBytes),
		out:    newWriter(conn, cancel), sources: map[string]bool{}, touched: time.Now(),
	}
	go v.out.run()
	read := make(chan error, 1)
	go func() {
		defer close(requests)
		err := v.read(ctx, newReader(conn), requests)
		v.flight.cancelCurrent()
		read <- err
	}()
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err := v.serve(ctx)
	leaveErr := v.leave(ctx)
	v.out.close()
	cause := context.Cause(ctx)
	cancel(nil)
	unhook()
	closeErr := conn.Close()
	readErr := <-read
	if v.over {
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
			v.out.respond(r, nil, err)
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
		v.flight.cancelRequest(canceledBy(r.Arguments))
	case "disconnect", "terminate":
		v.flight.cancelCurrent()
	}
}

// serve answers requests and tells of stops until the conversation is over.
func (v *server) serve(ctx context.Context) error {
	ticker := time.NewTicker(tickTime)
	defer ticker.Stop()
	for !v.over {
		select {
		case r, ok := <-v.requests:
			if !ok {
				return nil
			}
			v.queued.Release(r.size)
			v.handle(ctx, r)
		case end := <-v.ended:
			v.finished(ctx, end)
		case <-v.stopOfOthers():
			v.followed(ctx)
		case <-v.sessionEnd():
			v.sessionEnded()
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
	if v.s != nil && v.Role == session.Owner {
		v.sessions.Touch(v.s)
	}
	request, ok := v.flight.begin(ctx, r.Seq)
	if !ok {
		v.out.respond(r, nil, errCanceled)
		return
	}
	body, err := v.dispatch(request, r)
	if request.Err() != nil && err != nil {
		err = errCanceled
	}
	v.flight.end()
	v.out.respond(r, body, err)
	later := v.later
	v.later = nil
	for _, f := range later {
		f()
	}
}

// errCanceled is the message of canceled requests in the specification.
var errCanceled = errors.New("cancelled")

// tick passes on what a running program has written, and notices that others
// let the process run.
func (v *server) tick() {
	if !v.closeAt.IsZero() && time.Now().After(v.closeAt) {
		v.over = true
	}
	if v.s == nil || v.exited {
		return
	}
	if v.Role == session.Owner {
		v.takeOutput()
		if time.Since(v.touched) > touchTime {
			v.touched = time.Now()
			v.sessions.Touch(v.s)
		}
		return
	}
	if v.configured && v.running == nil && !v.moving && v.s.State().Status == session.Running {
		v.moving = true
		v.out.event("continued", dap.ContinuedEventBody{AllThreadsContinued: true})
	}
}

// Errors about the state of the session.
var (
	errRunning  = errors.New("the process is running")
	errMoved    = errors.New("the session is elsewhere by now; its new position follows")
	errMirror   = errors.New("this is a mirror: it follows the session and changes nothing")
	errNoTarget = errors.New("nothing is debugged yet; launch or attach comes first")
	errExited   = errors.New("the session has ended")
)

// locked calls f while it holds the gate of the session, which is stopped
// where the client believes it to be.
func (v *server) locked(ctx context.Context, f func() error) error {
	switch {
	case v.s == nil:
		return errNoTarget
	case v.exited:
		return errExited
	}
	limited, cancel := context.WithTimeout(ctx, gateTime)
	defer cancel()
	_, leave, err := v.s.Acquire(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		return errRunning
	}
	if err != nil {
		return err
	}
	defer leave()
	if err := v.s.RequireStopped(); err != nil {
		if errors.Is(err, failure.ErrRunning) || errors.Is(err, failure.ErrTraveling) {
			err = errRunning
		}
		return err
	}
	if _, stops, _ := v.s.LastStop(); stops != v.seen && v.configured {
		return errMoved
	}
	return f()
}

// requireDriver returns an error unless the client may move the process.
func (v *server) requireDriver() error {
	if v.Role == session.Mirror {
		return errMirror
	}
	return v.s.Target.RequireExecution()
}

// requireWritable returns an error unless the client may change the process
// where it is shown.
func (v *server) requireWritable() error {
	switch {
	case v.Role == session.Mirror:
		return errMirror
	case v.NoWrite:
		return failure.Denied("the server was started with --no-write")
	}
	return v.s.RequireChangeable()
}
