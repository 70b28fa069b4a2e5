package mcp

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// errMeta is the key in a tool result's _meta for an error's code and data, in
// revisions where the model sees the error.
const errMeta = "io.github.triptych-mcp/error"

// A toolError is answered as a tool result with isError.
type toolError struct{ err error }

// Error returns the text for the model.
func (e *toolError) Error() string { return e.err.Error() }
func (e *toolError) Unwrap() error { return e.err }

// ToolError returns an error that is answered as a tool result with isError and
// err's text, in every revision. The model reads that text, so it should say what
// to do.
func ToolError(err error) error { return &toolError{err: err} }

// A ResourceNotFoundError reports a URI without a resource. Its code depends on
// the revision: -32002 up to 2025-11-25, -32602 later, and the family's own code
// for baseline clients.
type ResourceNotFoundError struct {
	URI string
	// Baseline is the code in the family's document ([Documented]); 0 stands for -32002.
	Baseline jsonrpc.Code
	// Message is the documented text, the same in every revision.
	Message string
	// Reason, if known, is the reason; skills/get shows it.
	Reason string
}

// Error returns the message, which clients see.
func (e *ResourceNotFoundError) Error() string { return e.Message }

// wire returns the error with the code that the revision asks for.
func (e *ResourceNotFoundError) wire(rev revision) *jsonrpc.Error {
	if rev.NotFound == 0 {
		return &jsonrpc.Error{Code: cmp.Or(e.Baseline, host.CodeResourceNotFound), Message: e.Message}
	}
	err := &jsonrpc.Error{Code: rev.NotFound, Message: e.Message}
	return err.WithData(struct {
		URI string `json:"uri"`
	}{e.URI})
}

// A requestError concerns the request itself, not the result of a tool for its
// arguments. No revision shows it to the model, which could not correct it.
type requestError struct{ err *jsonrpc.Error }

// Error returns the text of the underlying error.
func (e *requestError) Error() string { return e.err.Error() }
func (e *requestError) Unwrap() error { return e.err }

// plainErrors converts errors for families without a conversion of their own:
// invalid arguments get -32602, other errors are unchanged.
func plainErrors(err error) error {
	if args, ok := errors.AsType[*schema.Error](err); ok {
		return InvalidParams("%s", args.Error())
	}
	return err
}

// InvalidParams returns the error -32602 with the reason in data.details.
func InvalidParams(format string, args ...any) *jsonrpc.Error {
	return params.Invalid(format, args...)
}

// invalidRequest returns the error -32600 with the reason in data.details.
func invalidRequest(details string) *jsonrpc.Error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "Invalid Request").WithDetails("%s", details)
}

// methodNotFound returns the error -32601 with the method's name, truncated to a
// length that is safe to show.
func methodNotFound(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + params.Quoted(method)}
}

// permissionDenied returns the error for a call that needs a scope which the
// caller lacks. Its data names the scope, so that the client can ask its user for
// another key.
func permissionDenied(need Scope) *jsonrpc.Error {
	return jsonrpc.Errorf(host.CodePermissionDenied, "Permission denied").WithData(struct {
		Details string `json:"details"`
		Scope   Scope  `json:"scope"`
	}{fmt.Sprintf("this needs the scope %s, which the key does not have", need), need})
}

// An UnavailableError reports that an external service, such as a store, is
// temporarily not available. Clients see the message. In revisions with plain
// HTTP statuses, the status is 503.
type UnavailableError struct{ Message string }

// Error returns the message, which clients see.
func (e *UnavailableError) Error() string { return e.Message }

// Unwrap returns the protocol error.
func (e *UnavailableError) Unwrap() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: e.Message}
}

// missingExtension returns the error for a request that needs an extension which
// the client did not declare. data.requiredCapabilities names the extension.
func missingExtension(name string) *jsonrpc.Error {
	err := &jsonrpc.Error{Code: host.CodeMissingCapability, Message: "Missing required client capability: " + name}
	return err.WithData(map[string]any{"requiredCapabilities": map[string]any{"extensions": map[string]any{name: struct{}{}}}})
}

// missingCapability returns the error for a request that needs a capability of
// the client, such as `sampling`, which the client did not declare.
func missingCapability(name string) *jsonrpc.Error {
	err := &jsonrpc.Error{Code: host.CodeMissingCapability, Message: fmt.Sprintf("Missing required client capability: %s", name)}
	return err.WithData(map[string]any{"requiredCapabilities": map[string]any{name: struct{}{}}})
}
