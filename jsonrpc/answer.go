package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Answer runs the handler and appends the whole answer to dst; for a notification, or
// when there is no answer now, it appends nothing. A handler that panics is answered with
// an internal error and logged with its stack, by [slog.Default]. It is for transports
// that frame messages themselves.
func Answer(ctx context.Context, h Handler, req *Request, dst []byte) []byte {
	return answer(ctx, h, req, dst, slog.Default())
}

// answer calls the handler for one request and appends the whole response object to
// dst: `{"jsonrpc":"2.0","id":…,"result":…}`, or one with `error` if the handler
// failed. Nothing is appended for a notification, and for a handler that returns
// [ErrNoAnswer]. The result is written in place behind its head, so that it is never
// copied.
func answer(ctx context.Context, h Handler, req *Request, dst []byte, log *slog.Logger) []byte {
	start := len(dst)
	head := append(append(dst, `{"jsonrpc":"2.0","id":`...), req.ID.raw...)
	head = append(head, `,"result":`...)
	out, err := safely(ctx, h, req, head, log)
	switch {
	case req.IsNotification() || errors.Is(err, ErrNoAnswer):
		return head[:start]
	case err != nil:
		return appendRefusal(head[:start], req.ID, true, ErrorOf(logged(err, req, log)))
	case len(out) <= len(head):
		out = append(head, "null"...) // a result there must be
	}
	return append(out, '}')
}

// logged logs an error whose text the other side does not get to see, and returns it. A
// cancelled request is no failure.
func logged(err error, req *Request, log *slog.Logger) error {
	if _, public := errors.AsType[*Error](err); !public && !errors.Is(err, context.Canceled) {
		log.Error("request failed", "method", req.Method, "id", req.ID.String(), "err", err)
	}
	return err
}

// safely runs the handler and recovers when it panics.
func safely(ctx context.Context, h Handler, req *Request, dst []byte, log *slog.Logger) (out []byte, err error) {
	defer Recover(log, req.Method, &err)
	return h.Handle(ctx, req, dst)
}

// errPanicked is sent in place of a panic: its text is for the log only.
var errPanicked error = Errorf(CodeInternalError, "Internal error")

// Recover is to be deferred where a handler's work runs: a panic is logged with
// its stack and becomes an internal error.
func Recover(log *slog.Logger, method string, err *error) {
	if r := recover(); r != nil {
		log.Error("handler panicked", "method", method, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
		*err = errPanicked
	}
}

// appendRefusal appends an error answer; without an id it has null or, by
// policy, no id member.
func appendRefusal(dst []byte, id ID, nullID bool, e *Error) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	switch {
	case !id.IsZero():
		dst = append(append(dst, `,"id":`...), id.raw...)
	case nullID:
		dst = append(dst, `,"id":null`...)
	}
	return append(appendError(append(dst, `,"error":`...), e), '}')
}
