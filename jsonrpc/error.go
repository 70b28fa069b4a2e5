package jsonrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Code is the kind of an [Error] (JSON-RPC 2.0, section 5.1).
type Code int

// The codes of the specification. It reserves -32768 to -32000; -32000 to -32099
// are for servers and the protocols above.
const (
	// CodeParseError: the text is not JSON. The answer has no id.
	CodeParseError Code = -32700
	// CodeInvalidRequest: it is JSON, but no request, or a batch that is empty or
	// too long.
	CodeInvalidRequest Code = -32600
	// CodeMethodNotFound: the handler does not have the method.
	CodeMethodNotFound Code = -32601
	// CodeInvalidParams: the method does not take these params.
	CodeInvalidParams Code = -32602
	// CodeInternalError: every error that a handler returns without a code of its
	// own, and a panic. Its cause is logged, not sent.
	CodeInternalError Code = -32603
)

// An Error is the error member of a response (section 5.1). A handler that returns
// one decides what the other side sees; a [Client] returns those of the server.
// It must not be changed once it has been returned.
type Error struct {
	Code    Code
	Message string
	Data    []byte // valid JSON, or nil when there is none
}

// Errors to compare with errors.Is.
var (
	// ErrNoAnswer is returned by a handler when the answer comes later, by
	// [Conn.Respond], or never.
	ErrNoAnswer = errors.New("no answer now")
	// ErrClosed reports a connection that is over.
	ErrClosed = errors.New("connection closed")
)

// Errorf returns an error with a formatted message.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Error returns the message, and the reason in the member `details` of the data if it
// has one that the message does not end in.
func (e *Error) Error() string {
	var data struct {
		Details string `json:"details"`
	}
	if json.Unmarshal(e.Data, &data) == nil && data.Details != "" && !strings.HasSuffix(e.Message, data.Details) {
		return e.Message + ": " + data.Details
	}
	return e.Message
}

// WithDetails returns a copy whose data is {"details": …}.
func (e *Error) WithDetails(format string, args ...any) *Error {
	data := AppendString([]byte(`{"details":`), fmt.Sprintf(format, args...))
	return &Error{Code: e.Code, Message: e.Message, Data: append(data, '}')}
}

// WithData returns a copy whose data is v as JSON; a v that does not encode
// leaves it without.
func (e *Error) WithData(v any) *Error {
	data, err := json.Marshal(v)
	if err != nil {
		data = nil
	}
	return &Error{Code: e.Code, Message: e.Message, Data: data}
}

// ErrorOf turns any error into one for the wire: an [*Error] anywhere in its chain
// as it is, a context's end as an internal error that says so, everything else as
// an internal error. The text of an error that is
// not meant for the other side is not shown to it.
func ErrorOf(err error) *Error {
	if rpc, ok := errors.AsType[*Error](err); ok {
		return rpc
	}
	internal := Errorf(CodeInternalError, "Internal error")
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return internal.WithDetails("the request took too long")
	case errors.Is(err, context.Canceled):
		return internal.WithDetails("the request was cancelled")
	}
	return internal
}

// appendError appends the error object.
func appendError(dst []byte, e *Error) []byte {
	dst = strconv.AppendInt(append(dst, `{"code":`...), int64(e.Code), 10)
	dst = AppendString(append(dst, `,"message":`...), e.Message)
	if e.Data != nil {
		dst = append(append(dst, `,"data":`...), e.Data...)
	}
	return append(dst, '}')
}

// parseError is the error for text that is no JSON (JSON-RPC 2.0, section 5.1), with what
// was expected and the byte in data.details.
func parseError(err error) *Error {
	return Errorf(CodeParseError, "Parse error").WithDetails("%v", err)
}

// invalidRequest is the error for JSON that is no request (JSON-RPC 2.0, section 5.1),
// with the reason in data.details.
func invalidRequest(format string, args ...any) *Error {
	return Errorf(CodeInvalidRequest, "Invalid Request").WithDetails(format, args...)
}
