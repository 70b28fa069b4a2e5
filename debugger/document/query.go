package document

import (
	"context"
	"fmt"
)

// XPath versions that a [QueryRequest] may ask for.
const (
	XPath10 = "1.0" // that and nothing more
	XPath31 = "3.1"
)

// DefaultResults is the default limit of items in an answer, and
// MaxResults how many it may have at most.
const (
	DefaultResults = 100
	MaxResults     = 10_000
)

// A QueryRequest asks an XPath question of a document.
type QueryRequest struct {
	Document string // a path below the roots, or XML
	Query    string
	Version  string // XPath10, or XPath31 which is the default
	// Namespaces binds prefixes to URIs. Prefixes that the document's root
	// element declares are bound as there unless this says otherwise. The empty
	// prefix, in 3.1 only, is for element names without one.
	Namespaces map[string]string
	MaxResults int // items in the answer; 0 means DefaultResults
	Offset     int // how many items to leave out first
}

// A ResultType says what an expression gave.
type ResultType string

// The types of results.
const (
	Nodes    ResultType = "nodes"    // any number of nodes, none included
	Number   ResultType = "number"   // one number
	String   ResultType = "string"   // one string
	Boolean  ResultType = "boolean"  // one boolean
	Sequence ResultType = "sequence" // anything else that XPath 3.1 can give
)

// A QueryResult is one page of an answer.
type QueryResult struct {
	Type  ResultType
	Items []Item
	Total int // items in the whole answer
	// Next is the offset of the first item that is not here, or 0 if this page is
	// the last.
	Next int
}

// An Item is a node, or a value in an answer.
type Item struct {
	// Kind is element, attribute, text, comment, processing-instruction,
	// namespace or document for a node; number, string or boolean in XPath 1.0
	// and a type such as xs:integer, or map, array, function in 3.1.
	Kind string
	Path string // for a node of the document: an XPath 3.1 expression that selects it
	Name string // of an element, attribute or processing instruction, as written
	// Value is the text of a node that has no children, and a value's lexical
	// form. Markup is the XML of an element or document.
	Value, Markup string
	// Line and Column are where the element begins that the node is or belongs
	// to; 0 where that is not known.
	Line, Column int
	Truncated    bool // Value or Markup was cut where the answer became too long
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

// check refuses what cannot be asked.
func (req QueryRequest) check() error {
	switch {
	case req.Version != "" && req.Version != XPath10 && req.Version != XPath31:
		return &QueryError{Query: req.Query, Message: fmt.Sprintf("version must be %q or %q, not %q", XPath10, XPath31, req.Version)}
	case req.Offset < 0:
		return &QueryError{Query: req.Query, Message: "offset must not be negative"}
	case req.MaxResults < 0 || req.MaxResults > MaxResults:
		return &QueryError{Query: req.Query, Message: fmt.Sprintf("max_results must be from 1 to %d", MaxResults)}
	case len(req.Query) > maxQuery:
		return &LimitError{Subject: "query", What: "size in bytes", Limit: maxQuery}
	}
	return nil
}

// maxQuery is the longest expression in bytes.
const maxQuery = 64 * kib

// query does the work of Query on a worker.
func (l *Library) query(ctx context.Context, req QueryRequest) (QueryResult, error) {
	rent := &lease{from: l.memory}
	defer rent.end()
	doc, err := l.document(ctx, req.Document, rent)
	if err != nil {
		return QueryResult{}, err
	}
	found, err := doc.tree.query(ctx, expression{req.Query, req.Version == XPath10, req.Namespaces})
	if err != nil {
		return QueryResult{}, err
	}
	return l.page(ctx, req, found)
}

// page renders the items that a request asks for, until the answer is full.
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

// size estimates the bytes of an item in an answer.
func (i Item) size() int {
	return len(i.Value) + len(i.Markup) + len(i.Path) + len(i.Name) + 64
}
