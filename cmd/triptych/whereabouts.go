package main

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
)

const (
	// wherePrefix and a caller's state key name the key that holds the name of the
	// server with the caller's debugger session.
	wherePrefix = "triptych:debugging:"
	// whereLife is longer than a debugger session may be idle.
	whereLife = 2 * time.Hour
	// whereAgain is the time after which the key is written again.
	whereAgain = 10 * time.Minute
	// maxWhere limits the sessions whose last writing is remembered.
	maxWhere = 10_000
	// codeNotAttached is the debugger's error for a call without a session.
	codeNotAttached jsonrpc.Code = -32005
)

// whereabouts remembers in a store which server has the debugger session of a caller. A
// process belongs to one machine, so a call that arrives at another server is answered
// with the name of the right one: a client that is only told that nothing is attached
// would start the process again and leave the first one stopped.
type whereabouts struct {
	client redis.UniversalClient
	self   string

	mu    sync.Mutex
	noted map[string]time.Time
}

func newWhereabouts(client redis.UniversalClient, self string) *whereabouts {
	return &whereabouts{client: client, self: self, noted: map[string]time.Time{}}
}

// around returns an observer that notes where debugger sessions are, before next.
func (w *whereabouts) around(next func(context.Context, *mcp.Event) error) func(context.Context, *mcp.Event) error {
	return func(ctx context.Context, e *mcp.Event) error {
		if e.Family == "debugger" && e.Code == 0 && !e.Failed {
			w.note(ctx, e)
		}
		if next == nil {
			return nil
		}
		return next(ctx, e)
	}
}

// note writes or removes the key of a caller. A store that cannot be reached costs the
// hint only.
func (w *whereabouts) note(ctx context.Context, e *mcp.Event) {
	state := e.Caller.StateKey()
	attached := e.Target == "debugger/attach" || e.Target == "debugger/launch"
	detached := e.Target == "debugger/detach"
	w.mu.Lock()
	at, known := w.noted[state]
	due := attached || detached && known || known && time.Since(at) > whereAgain
	switch {
	case detached:
		delete(w.noted, state)
	case due && len(w.noted) < maxWhere:
		w.noted[state] = time.Now()
	}
	w.mu.Unlock()
	if !due {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), peersWait)
	defer stop()
	if detached {
		_ = w.client.Del(ctx, wherePrefix+state).Err() // it expires
		return
	}
	_ = w.client.Set(ctx, wherePrefix+state, w.self, whereLife).Err() // only a hint
}

// explain names the server with the caller's debugger session in the error of a call
// that found none here.
func (w *whereabouts) explain(ctx context.Context, e *mcp.Event, err error) error {
	if e.Family != "debugger" || e.Code != codeNotAttached {
		return err
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), peersWait)
	defer stop()
	where, lookUp := w.client.Get(ctx, wherePrefix+e.Caller.StateKey()).Result()
	if lookUp != nil || where == w.self {
		return err
	}
	return jsonrpc.ErrorOf(err).WithDetails("the process of this session is at the server %q, not at this one (%q): "+
		"do not launch it again; send the call there, or configure the balancer to send all requests with one Authorization to one server", where, w.self)
}
