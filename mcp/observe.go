package mcp

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// An Event is one request that was answered, for audit trails and metrics. It
// holds no arguments and no results.
type Event struct {
	Caller Caller
	// Method is as it was sent. Known says that there is one of that name.
	Method string
	Known  bool
	// Family and Target are the family and the documented name of the tool;
	// Target alone is the URI of a resource or the name of a prompt.
	Family, Target string
	Started        time.Time
	Took           time.Duration
	// Code is that of the error answer, 0 when there is a result.
	Code jsonrpc.Code
	// Failed says that the result is an error of the tool.
	Failed bool
	// Cancelled says that nobody gets the answer.
	Cancelled bool
}

// observed handles a request and tells the observer, also of a panic.
func (h *Handler) observed(ctx context.Context, req *jsonrpc.Request, call *Call, dst []byte) (out []byte, err error) {
	event := Event{Caller: h.caller, Method: req.Method, Started: time.Now(), Code: jsonrpc.CodeInternalError}
	event.Known = h.server.methods[req.Method] != nil
	start := len(dst)
	defer func() {
		event.Took = time.Since(event.Started)
		event.Family, event.Target = call.target()
		event.Failed = call.failure
		event.Cancelled = ctx.Err() != nil
		if lost := h.server.cfg.Observe(ctx, &event); lost != nil {
			h.server.cfg.Logger.Error("call not recorded", "method", req.Method, "err", lost)
			out, err = dst[:start], cmp.Or(err, lost)
		}
	}()
	out, err = h.handle(ctx, req, call, dst)
	event.Code = codeOf(err)
	return out, err
}

func codeOf(err error) jsonrpc.Code {
	if err == nil || errors.Is(err, jsonrpc.ErrNoAnswer) {
		return 0
	}
	return jsonrpc.ErrorOf(err).Code
}

// target is what the call is about.
func (c *Call) target() (family, name string) {
	switch {
	case c.tool != nil:
		return c.tool.table.Family, c.tool.Name
	case c.params.uri != nil:
		return "", unquoted(c.params.uri)
	}
	return "", unquoted(c.params.name)
}
