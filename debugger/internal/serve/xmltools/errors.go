package xmltools

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// The documented codes of the tools for XML documents.
const (
	codeDocumentNotFound jsonrpc.Code = -32008
	codeInvalidDocument  jsonrpc.Code = -32009
)

// ModelErrors returns the codes of errors that a model can correct.
func ModelErrors() []jsonrpc.Code { return []jsonrpc.Code{codeDocumentNotFound, codeInvalidDocument} }

// WireError returns the JSON-RPC error for an error of the library, nil for
// all others. A document that does not match its schema, and an invalid
// schema, are -32009; other mistakes in the request are -32602. Of several
// errors, refused paths come first.
func WireError(err error) error {
	if e, ok := errors.AsType[*document.PermissionError](err); ok {
		return jsonrpc.Errorf(host.CodePermissionDenied, "Permission denied").WithDetails("%v; --documents names the folders that may be read", e)
	}
	if e, ok := errors.AsType[*document.NotFoundError](err); ok {
		return jsonrpc.Errorf(codeDocumentNotFound, "Document not found").WithDetails("%v; relative paths begin at the folders that --documents names", e)
	}
	if e, ok := invalid(err); ok {
		return e.wire()
	}
	if e, ok := errors.AsType[*document.BusyError](err); ok {
		return &mcp.UnavailableError{Message: e.Error() + "; try again later"}
	}
	if wrongRequest(err) {
		return mcp.InvalidParams("%s%s", strings.ReplaceAll(err.Error(), "\n", "; "), advice(err))
	}
	return nil
}

// Limits of a document in MiB: the largest that --documents-size permits, and the part of
// --documents-memory that is for documents in use.
const (
	maxDocumentsSize = 256
	memoryShare      = 2
)

// advice names the flag that permits a document that is too large; "" if there is none.
func advice(err error) string {
	limit, ok := errors.AsType[*document.LimitError](err)
	if !ok || limit.Need <= limit.Limit {
		return ""
	}
	mebibytes := (limit.Need + 1<<20 - 1) >> 20
	switch {
	case limit.What == document.LimitMemory:
		return fmt.Sprintf("; start the server with --documents-memory %d or more", memoryShare*mebibytes)
	case limit.What == document.LimitSize && mebibytes <= maxDocumentsSize:
		return fmt.Sprintf("; start the server with --documents-size %d or more", mebibytes)
	}
	return ""
}

// wrongRequest reports whether an error is a mistake of the caller.
func wrongRequest(err error) bool {
	_, syntax := errors.AsType[*document.SyntaxError](err)
	_, encoding := errors.AsType[*document.EncodingError](err)
	_, refused := errors.AsType[*document.RefusedError](err)
	_, query := errors.AsType[*document.QueryError](err)
	_, limit := errors.AsType[*document.LimitError](err)
	return syntax || encoding || refused || query || limit
}

// An invalidError reports a failed validation and its violations.
type invalidError struct {
	about string // "a.xml does not match a.xsd"
	found []document.Violation
	more  int // places that are not in found
}

func (e *invalidError) Error() string { return e.about }

// invalid returns an error of a validation as an invalidError.
func invalid(err error) (*invalidError, bool) {
	if e, ok := errors.AsType[*document.ViolationsError](err); ok {
		return &invalidError{fmt.Sprintf("%s does not match %s", e.Document, e.Schema), e.Violations, e.More}, true
	}
	if e, ok := errors.AsType[*document.SchemaError](err); ok {
		return &invalidError{e.Schema + " cannot be used as a schema", e.Problems, 0}, true
	}
	return errors.AsType[*invalidError](err)
}

// Limits of an error: it stays well below what clients accept in a message,
// and its details, which a model reads, are shorter.
const (
	maxViolationBytes = 3 << 20
	maxToldViolations = 100
)

// A violation is a member of the error's data.
type violation struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
}

// wire returns -32009 with as many violations as fit.
func (e *invalidError) wire() error {
	data := struct {
		Details    string      `json:"details"`
		Violations []violation `json:"violations"`
		More       int         `json:"more,omitempty"`
	}{Details: e.details(), Violations: []violation{}, More: e.more}
	room := maxViolationBytes
	for i, v := range e.found {
		if room -= len(v.File) + len(v.Path) + len(v.Message) + 64; room < 0 {
			data.More += len(e.found) - i
			break
		}
		data.Violations = append(data.Violations, violation(v))
	}
	return jsonrpc.Errorf(codeInvalidDocument, "Schema validation failed").WithData(data)
}

// details are the first violations, a line each.
func (e *invalidError) details() string {
	total := len(e.found) + e.more
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s):", e.about, plain.Count(total, "violation"))
	told := e.found[:min(len(e.found), maxToldViolations)]
	for _, v := range told {
		b.WriteString("\n" + plain.Line(v.String()))
	}
	if left := total - len(told); left > 0 {
		fmt.Fprintf(&b, "\n… and %s more", plain.Thousands(int64(left)))
	}
	return b.String()
}
