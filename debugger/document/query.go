package document

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/document/selection"
)

// XPath versions of a [QueryRequest].
const (
	XPath10 = "1.0" // XPath 1.0 only
	XPath31 = "3.1"
)

// DefaultResults is the default of QueryRequest.MaxResults, and MaxResults its
// maximum.
const (
	DefaultResults = 100
	MaxResults     = 10_000
)

// A QueryRequest is an XPath query of a document.
type QueryRequest struct {
	Document string // path below the roots, or XML text
	Query    string
	Version  string // XPath10 or XPath31; "" means XPath31
	// Namespaces binds prefixes to URIs. It overrides the prefixes that the
	// document's root element declares. The empty prefix, in 3.1 only,
	// applies to element names without a prefix.
	Namespaces map[string]string
	MaxResults int // maximum number of items; 0 means DefaultResults
	Offset     int // number of items to skip
}

// A ResultType is the type of a result.
type ResultType string

// The types of results.
const (
	Nodes    ResultType = "nodes"    // zero or more nodes
	Number   ResultType = "number"   // one number
	String   ResultType = "string"   // one string
	Boolean  ResultType = "boolean"  // one boolean
	Sequence ResultType = "sequence" // any other result of XPath 3.1
)

// A QueryResult is a page of an answer.
type QueryResult struct {
	Type  ResultType
	Items []Item
	Total int // number of items in the whole answer
	// Next is the offset of the next page, or 0 if this is the last one.
	Next int
}

// An Item is a node or a value in an answer.
type Item struct {
	// Kind is element, attribute, text, comment, processing-instruction,
	// namespace or document for a node. For a value it is number, string or
	// boolean in XPath 1.0, and a type such as xs:integer, or map, array or
	// function, in 3.1.
	Kind string
	Path string // of a node: an XPath 3.1 expression that selects it
	Name string // of an element, attribute or processing instruction, as written
	// Value is the text of a node without children, or the lexical form of a
	// value. Markup is the XML of an element or document.
	Value, Markup string
	// Line and Column are the start of the element that the node is or
	// belongs to; 0 if unknown.
	Line, Column int
	Truncated    bool // Value or Markup was truncated to limit the answer
}

// Query evaluates an expression on a document.
func (l *Library) Query(ctx context.Context, req QueryRequest) (QueryResult, error) {
	if err := req.check(); err != nil {
		return QueryResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.config.Patience())
	defer cancel()
	return work(ctx, l.crew, "query", func(ctx context.Context) (QueryResult, error) {
		return l.query(ctx, req)
	})
}

// check returns an error for an invalid request.
func (req QueryRequest) check() error {
	switch {
	case req.Version != "" && req.Version != XPath10 && req.Version != XPath31:
		return &QueryError{Query: req.Query, Message: fmt.Sprintf("version must be %q or %q, not %q", XPath10, XPath31, req.Version)}
	case req.Offset < 0:
		return &QueryError{Query: req.Query, Message: "offset must not be negative"}
	case req.MaxResults < 0 || req.MaxResults > MaxResults:
		return &QueryError{Query: req.Query, Message: fmt.Sprintf("max_results must be from 1 to %d", MaxResults)}
	case len(req.Query) > maxQuery:
		return &LimitError{Subject: "query", What: LimitSize, Limit: maxQuery}
	}
	return nil
}

// maxQuery is the maximum length of an expression in bytes.
const maxQuery = 64 * kib

// query implements Query on a worker.
func (l *Library) query(ctx context.Context, req QueryRequest) (QueryResult, error) {
	result, err := l.queryEvents(ctx, req)
	if errors.Is(err, selection.ErrTree) {
		return l.queryTree(ctx, req)
	}
	return result, err
}

// queryTree answers a query from the tree of the document.
func (l *Library) queryTree(ctx context.Context, req QueryRequest) (QueryResult, error) {
	rent := &lease{from: l.memory}
	defer rent.end()
	doc, err := l.document(ctx, req.Document, rent)
	if err != nil {
		return QueryResult{}, err
	}
	found, err := doc.tree.query(ctx, expression{text: req.Query, strict1: req.Version == XPath10, namespaces: req.Namespaces})
	if err != nil {
		return QueryResult{}, err
	}
	return l.page(ctx, req, found)
}

// page renders the requested items until the answer reaches its limit.
func (l *Library) page(ctx context.Context, req QueryRequest, found answer) (QueryResult, error) {
	result := QueryResult{Type: found.kind(), Items: []Item{}, Total: found.len()}
	count := req.MaxResults
	if count == 0 {
		count = DefaultResults
	}
	room := l.config.MaxAnswer
	i := min(req.Offset, result.Total)
	for ; i < result.Total && len(result.Items) < count && room > 0; i++ {
		if err := ctx.Err(); err != nil {
			return QueryResult{}, err
		}
		item, err := found.item(i, room)
		if limit, ok := errors.AsType[*LimitError](err); ok {
			return QueryResult{}, limit
		}
		if errors.Is(err, selection.ErrTree) {
			return QueryResult{}, err
		}
		if err != nil {
			return QueryResult{}, &QueryError{Query: req.Query, Message: err.Error()}
		}
		result.Items = append(result.Items, item)
		room -= item.size()
	}
	if i < result.Total {
		result.Next = i
	}
	return result, nil
}

// size returns the approximate size of an item in an answer, in bytes.
func (i Item) size() int {
	return len(i.Value) + len(i.Markup) + len(i.Path) + len(i.Name) + 64
}
