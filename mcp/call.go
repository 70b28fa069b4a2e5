package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A Call is one request on its way through the server. Handlers get it for progress, log
// messages to the client, questions to the user, and to find the state they keep between
// calls. It is good until the handler returns; afterwards Progress and Log do nothing.
// Those two may be called from any goroutine, its other methods from the handler's.
type Call struct {
	handler *Handler
	id      jsonrpc.ID
	method  *method
	rev     *Revision
	params  params
	extra   []byte // members of the result's _meta, with commas between
	tool    *boundTool
	became  *task // nil unless the call became one
	task    *task // that the job belongs to, nil outside one
	details map[string]string
	failure bool // whether the result is an error of the tool

	followed bool        // whether the client asked for progress
	started  bool        // whether any was sent; guarded by mu, as the two below
	over     atomic.Bool // the request is answered: nothing is sent for it any more
	mu       sync.Mutex
	progress float64
	sent     time.Time // when progress was last sent
}

// Caller returns the caller that sent the request. Families use it for rights and limits,
// never to tell transports apart.
func (c *Call) Caller() Caller { return c.handler.caller }

// Baseline reports whether the client named no revision, so that it is answered as
// the families' documents show and no more.
func (c *Call) Baseline() bool { return c.rev == baseline }

// StateKey returns the name of the state that the calls of one client share: the process
// on stdio, the legacy session, else the key. [Table].EndSession is called with it when
// that state can go.
func (c *Call) StateKey() string { return c.handler.caller.StateKey() }

// Logger returns the server's logger, narrowed to the call.
func (c *Call) Logger() *slog.Logger {
	return c.handler.server.cfg.Logger.With("method", c.method.name)
}

// progressEvery is the shortest time between two messages of progress; the
// last one, with progress equal to total, is always sent.
const progressEvery = 50 * time.Millisecond

// Progress reports the progress of the call to the client, if it asked for it (a
// progressToken in _meta). Progress that does not rise is left out, as the specification
// demands, and so is more than one message each 50 ms. Total 0 means not known. Of a task
// the message is the status. It never fails: a client that cannot be reached misses it.
func (c *Call) Progress(ctx context.Context, progress, total float64, message string) {
	if c.task != nil {
		if c.due(progress, total) {
			c.task.setMessage(message)
		}
		return
	}
	if !c.followed || c.over.Load() || c.handler.caller.Send == nil || !c.due(progress, total) {
		return
	}
	dst := append([]byte(`{"progressToken":`), c.params.meta().progressToken...)
	dst = appendNumber(append(dst, `,"progress":`...), progress)
	if total > 0 {
		dst = appendNumber(append(dst, `,"total":`...), total)
	}
	if message != "" && c.rev.Has(ProgressMessage) {
		dst = jsonrpc.AppendString(append(dst, `,"message":`...), message)
	}
	c.notify(ctx, "notifications/progress", append(dst, '}'))
}

// Suspend ends the client's connection before the answer, on transports and in
// revisions where the client reconnects for it, after retry or later. It reports
// whether the connection was ended. Only tools with Suspends may call it.
func (c *Call) Suspend(retry time.Duration) bool {
	sender, ok := c.handler.caller.Send.(interface{ Suspend(time.Duration) bool })
	return ok && sender.Suspend(retry)
}

// InputClosed is closed when the client has ended its input, though not its last
// message with it, or when the server ends: a call that waits for what may never
// come should answer soon. Nil on transports where the end of the client is that of
// ctx.
func (c *Call) InputClosed() <-chan struct{} {
	sender, ok := c.handler.caller.Send.(interface{ InputClosed() <-chan struct{} })
	if !ok {
		return nil
	}
	return sender.InputClosed()
}

// due reports whether progress is worth a message, and remembers it. NaN and infinities,
// which JSON does not have, are not.
func (c *Call) due(progress, total float64) bool {
	if math.IsNaN(progress) || math.IsInf(progress, 0) || math.IsNaN(total) || math.IsInf(total, 0) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	last := total > 0 && progress >= total
	if c.started && (progress <= c.progress || !last && now.Sub(c.sent) < progressEvery) {
		return false
	}
	c.progress, c.sent, c.started = progress, now, true
	return true
}

// appendNumber appends a number as JSON, without an exponent.
func appendNumber(dst []byte, f float64) []byte {
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// notify sends a notification that belongs to this request. A client that
// cannot be reached does not hear it; its call goes on.
func (c *Call) notify(ctx context.Context, method string, params []byte) {
	if err := c.handler.caller.Send.Notify(ctx, method, params); err != nil {
		c.handler.server.cfg.Logger.Debug("notification not sent", "method", method, "err", err)
	}
}

// Log sends a log message to the client if it wants messages of that level. data is any
// value that encodes as JSON; never put secrets into it: they reach the client's log.
// logger may be "".
func (c *Call) Log(ctx context.Context, level Level, logger string, data any) {
	if c.over.Load() || c.handler.caller.Send == nil || !c.wantsLog(level) {
		return
	}
	raw, err := json.Marshal(data)
	if err != nil {
		c.Logger().Warn("log data does not encode", "err", err)
		return
	}
	dst := jsonrpc.AppendString([]byte(`{"level":`), level.String())
	if logger != "" {
		dst = jsonrpc.AppendString(append(dst, `,"logger":`...), logger)
	}
	dst = append(append(dst, `,"data":`...), raw...)
	c.notify(ctx, "notifications/message", append(dst, '}'))
}

// wantsLog reports whether the client wants log messages of a level: those from the
// level on that the request names in _meta since 2026-07-28, before that those from the
// level on of logging/setLevel.
func (c *Call) wantsLog(level Level) bool {
	if c.rev.Modern {
		asked, ok := parseLevel(unquoted(c.params.meta().logLevel))
		return ok && level >= asked
	}
	s := c.handler.caller.Session
	return s != nil && s.wants(level)
}
