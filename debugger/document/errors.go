package document

import (
	"fmt"
	"strings"
	"time"
)

// A NotFoundError reports a document or schema that does not exist.
type NotFoundError struct{ Path string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("document %q not found", e.Path)
}

// A PermissionError reports a path that may not be read: it leads outside the
// roots, it is not a regular file, or the operating system denies access.
type PermissionError struct {
	Path   string
	Reason string
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("document %q may not be read: %s", e.Path, e.Reason)
}

// A SyntaxError reports a text that is not well-formed XML.
type SyntaxError struct {
	Document string // its path, or "inline"
	Line     int    // from 1; 0 if unknown
	Column   int    // in characters from 1; 0 if unknown
	Message  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s is not well-formed: %s", at(e.Document, e.Line, e.Column), e.Message)
}

// An EncodingError reports a document in an unknown encoding, or in one that does
// not encode ASCII as itself.
type EncodingError struct {
	Document string
	Encoding string
}

func (e *EncodingError) Error() string {
	return fmt.Sprintf("%s is encoded in %s, which is not read here; use UTF-8", e.Document, e.Encoding)
}

// A RefusedError reports a document that requires something that is never done,
// such as reading an external entity.
type RefusedError struct {
	Document     string
	Line, Column int
	What         string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s is refused: %s", at(e.Document, e.Line, e.Column), e.What)
}

// Values of LimitError.What for the size of a document and for the memory of its tree.
const (
	LimitSize   = "size in bytes"
	LimitMemory = "memory in bytes"
)

// A LimitError reports work that exceeds a limit.
type LimitError struct {
	Subject string        // a document's name, or "query", "schema"
	What    string        // which limit: "size", "depth", "memory", "processor time", …
	Limit   int64         // in the unit of What; 0 if Elapsed is set
	Elapsed time.Duration // for times only: the permitted time
	Need    int64         // how much Subject has or needs, in the unit of Limit; 0 if unknown
	Detail  string        // what was found; may be ""
}

func (e *LimitError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s exceeds the limit of %s", e.Subject, e.What)
	switch {
	case e.Elapsed > 0:
		fmt.Fprintf(&b, " (%v)", e.Elapsed)
	case e.Limit > 0:
		fmt.Fprintf(&b, " (%d)", e.Limit)
	}
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	return b.String()
}

// A QueryError reports an XPath expression that is not valid, or whose evaluation
// failed.
type QueryError struct {
	Query   string
	Code    string // the W3C error code such as XPST0003, or ""
	Message string
}

func (e *QueryError) Error() string {
	if e.Code != "" && !strings.Contains(e.Message, e.Code) {
		return fmt.Sprintf("query %q: %s: %s", e.Query, e.Code, e.Message)
	}
	return fmt.Sprintf("query %q: %s", e.Query, e.Message)
}

// A SchemaError reports a well-formed document that is not a valid schema.
type SchemaError struct {
	Schema   string
	Problems []Violation // at least one
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("schema %s cannot be used: %s", e.Schema, listed(e.Problems))
}

// A ViolationsError reports a document that does not match its schema, with all
// violations in document order.
type ViolationsError struct {
	Document   string
	Schema     string
	Violations []Violation
	More       int // number of further violations that are not in Violations
}

func (e *ViolationsError) Error() string {
	return fmt.Sprintf("%s does not match %s: %s", e.Document, e.Schema, listed(e.Violations))
}

// A BusyError reports that no worker became free in time.
type BusyError struct{ Workers, Abandoned int }

func (e *BusyError) Error() string {
	return fmt.Sprintf("all %d document workers are busy (%d with work that was given up)", e.Workers, e.Abandoned)
}

// An EngineError reports a failure of the XML engine that the caller did not
// cause.
type EngineError struct {
	Doing string
	Cause string
}

func (e *EngineError) Error() string { return e.Doing + ": the XML engine failed: " + e.Cause }

// listed returns the first violation and the number of others.
func listed(all []Violation) string {
	if len(all) == 0 {
		return "no details"
	}
	if len(all) == 1 {
		return all[0].String()
	}
	return fmt.Sprintf("%s (and %d more)", all[0], len(all)-1)
}

// at formats a position as name:line:column.
func at(name string, line, column int) string {
	switch {
	case line > 0 && column > 0:
		return fmt.Sprintf("%s:%d:%d", name, line, column)
	case line > 0:
		return fmt.Sprintf("%s:%d", name, line)
	}
	return name
}
