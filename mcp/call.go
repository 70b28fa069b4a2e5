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
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// A Call is a request that a handler serves. Handlers use it to report progress,
// send log messages to the client, ask the user, and find the state that they
// store between calls. It is valid until the handler returns; afterwards Progress
// and Log do nothing. Progress and Log may be called from any goroutine, the
// other methods only from that of the handler.
type Call struct {
	handler *Handler
	id      jsonrpc.ID
	method  *method
	rev     revision
	params  params.Params
	extra   []byte // members of the result's _meta, separated by commas
	tool    *boundTool
	became  *task // the task that the call became, or nil
	task    *task // the task that the job belongs to, or nil
	details map[string]string
	failure bool // the result is an error of the tool

	followed bool        // the client asked for progress
	started  bool        // progress was sent; guarded by mu, like the two below
	over     atomic.Bool // the request has been answered: nothing may be sent for it
	mu       sync.Mutex
	progress float64
	sent     time.Time // time of the last message of progress
}

// Caller returns the sender of the request. Families use it for rights and
// limits, and must not use it to distinguish transports.
func (c *Call) Caller() host.Caller { return c.handler.caller }

// Baseline reports whether the client named no revision. Such a client is
// answered exactly as the families' documents show.
func (c *Call) Baseline() bool { return c.rev == baseline }

// StateKey returns the key of the state that the calls of one client share: the
// process on stdio, else the legacy session, else the key of the principal.
// [Table].EndSession is called with it when that state can be released.
func (c *Call) StateKey() string { return c.handler.caller.StateKey() }

// Logger returns the server's logger with attributes of the call.
func (c *Call) Logger() *slog.Logger {
	return c.handler.server.cfg.Logger.With("method", c.method.name)
}

// progressEvery is the minimum interval of messages of progress. The last one,
// whose progress equals total, is always sent.
const progressEvery = 50 * time.Millisecond

// Progress reports the progress of the call if the client asked for it with a
// progressToken in _meta (basic/utilities/progress). It drops values that do not
// increase, as the specification demands, and more than one message per 50 ms. A
// total of 0 means that it is unknown. In a task, message becomes the status
// message. Progress never fails: a client that cannot be reached misses the
// message.
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
	dst := append([]byte(`{"progressToken":`), c.params.Meta().ProgressToken...)
	dst = appendNumber(append(dst, `,"progress":`...), progress)
	if total > 0 {
		dst = appendNumber(append(dst, `,"total":`...), total)
	}
	if message != "" && c.rev.Has(host.ProgressMessage) {
		dst = jsonrpc.AppendString(append(dst, `,"message":`...), message)
	}
	c.notify(ctx, "notifications/progress", append(dst, '}'))
}

// Suspend closes the client's connection before the answer, on transports and in
// revisions in which the client then reconnects, after retry or later. It reports
// whether it closed the connection. Only tools with Suspends may call it.
func (c *Call) Suspend(retry time.Duration) bool {
	sender, ok := c.handler.caller.Send.(interface{ Suspend(time.Duration) bool })
	return ok && sender.Suspend(retry)
}

// InputClosed returns a channel that is closed when the client has closed its
// input, or when the server is shutting down. A call that waits for something
// that may never happen should then return soon. The channel is nil on transports
// where the end of the client cancels ctx.
func (c *Call) InputClosed() <-chan struct{} {
	sender, ok := c.handler.caller.Send.(interface{ InputClosed() <-chan struct{} })
	if !ok {
		return nil
	}
	return sender.InputClosed()
}

// due reports whether progress should be sent, and records it. It is false for
// NaN and infinities, which JSON cannot represent.
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

// notify sends a notification that belongs to this request. If the client cannot
// be reached, the call continues.
func (c *Call) notify(ctx context.Context, method string, params []byte) {
	if err := c.handler.caller.Send.Notify(ctx, method, params); err != nil {
		c.handler.server.cfg.Logger.Debug("notification not sent", "method", method, "err", err)
	}
}

// Log sends a log message to the client if the client wants messages of that
// level. data is encoded as JSON and must not contain secrets, since it ends up
// in the client's log. logger names the source and may be "".
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

// wantsLog reports whether the client wants log messages of a level: since
// 2026-07-28 the minimum level is in _meta of the request, before that it is set
// by logging/setLevel.
func (c *Call) wantsLog(level Level) bool {
	if c.rev.Modern {
		asked, ok := parseLevel(params.Unquoted(c.params.Meta().LogLevel))
		return ok && level >= asked
	}
	s := c.handler.caller.Session
	return s != nil && s.State.Wants(int(level))
}
