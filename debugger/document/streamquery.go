package document

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/selection"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// streamFrom is the size of documents, in bytes, from which queries that need no tree
// read a document as events. Smaller ones are cached as trees, which other queries use.
const streamFrom = mib

// queryEvents answers a query while the document is read. It returns selection.ErrTree for
// a query that needs a tree, and if a tree may give another answer or a better error.
func (l *Library) queryEvents(ctx context.Context, req QueryRequest) (QueryResult, error) {
	if isInline(req.Document) {
		return l.queryInline(ctx, req)
	}
	file, addr, err := l.roots.open(req.Document)
	if err != nil {
		return QueryResult{}, err
	}
	defer func() { _ = file.Close() }() // errors do not matter, it was only read
	for range attempts {
		result, done, err := l.queryFile(ctx, req, file, addr.name())
		if done || err != nil {
			return result, err
		}
	}
	return QueryResult{}, changing(addr.name())
}

func (l *Library) queryInline(ctx context.Context, req QueryRequest) (QueryResult, error) {
	query, ok := l.selects(req, int64(len(req.Document)))
	if !ok {
		return QueryResult{}, selection.ErrTree
	}
	src, err := l.inline(req.Document)
	if err != nil {
		return QueryResult{}, err
	}
	s := &eventQuery{Library: l, req: req, query: query, name: src.name, text: bytes.NewReader(src.text)}
	result, err := s.run(ctx, event.NewBytes(src.text, l.queryLimits()))
	if err != nil && ctx.Err() == nil {
		return result, selection.ErrTree
	}
	return result, err
}

// queryFile reports that it is not done if the file changes meanwhile.
func (l *Library) queryFile(ctx context.Context, req QueryRequest, file *os.File, name string) (result QueryResult, done bool, err error) {
	before, err := file.Stat()
	if err != nil {
		return result, false, unreadable(name, err)
	}
	query, ok := l.selects(req, before.Size())
	if !ok {
		return result, false, selection.ErrTree
	}
	p, text, err := l.events(file, name, before.Size(), l.queryLimits())
	if err != nil {
		return result, false, err
	}
	s := &eventQuery{Library: l, req: req, query: query, name: name, text: text}
	result, err = s.run(ctx, p)
	if err != nil && before.Size() <= l.config.MaxDocument && ctx.Err() == nil {
		return result, false, selection.ErrTree
	}
	after, failed := file.Stat()
	if failed != nil {
		return result, false, unreadable(name, failed)
	}
	return result, filestamp.Of(before) == filestamp.Of(after), err
}

// selects returns the query if it is answered without a tree for a document of that size.
func (l *Library) selects(req QueryRequest, size int64) (*selection.Query, bool) {
	if size < l.streamFrom {
		return nil, false
	}
	return selection.Parse(req.Query, req.Version == XPath10)
}

func (l *Library) queryLimits() event.Limits {
	limits := l.eventLimits()
	limits.Others = true
	return limits
}

// An eventQuery is a query that reads a document as events.
type eventQuery struct {
	*Library
	req   QueryRequest
	query *selection.Query
	name  string
	text  io.ReaderAt // what the parser reads
}

func (q *eventQuery) run(ctx context.Context, p *event.Parser) (QueryResult, error) {
	count := q.req.MaxResults
	if count == 0 {
		count = DefaultResults
	}
	found, err := q.query.Run(ctx, p, selection.Options{
		Namespaces: q.req.Namespaces, Offset: q.req.Offset, Count: count, Room: q.config.MaxAnswer,
		Check: func(prefixes map[string]string) error {
			return q.engine.check(expression{text: q.req.Query, strict1: q.req.Version == XPath10, namespaces: prefixes})
		},
	})
	if err != nil {
		return QueryResult{}, eventError(q.name, err)
	}
	return q.page(ctx, q.req, &eventAnswer{eventQuery: q, ctx: ctx, found: found})
}

// An eventAnswer is the answer to such a query.
type eventAnswer struct {
	*eventQuery
	ctx   context.Context //nolint:containedctx // that of the request, which the answer does not outlive
	found *selection.Found
}

func (a *eventAnswer) kind() ResultType {
	switch a.query.Shape {
	case selection.Count:
		return Number
	case selection.Exists, selection.Empty:
		return Boolean
	case selection.Nodes:
	}
	return Nodes
}

func (a *eventAnswer) len() int {
	if a.query.Shape != selection.Nodes {
		return 1
	}
	return a.found.Total
}

func (a *eventAnswer) item(i, limit int) (Item, error) {
	kind := string(a.kind())
	switch a.query.Shape {
	case selection.Count:
		if a.req.Version != XPath10 {
			kind = "xs:integer"
		}
		return Item{Kind: kind, Value: strconv.Itoa(a.found.Total)}, nil
	case selection.Exists, selection.Empty:
		if a.req.Version != XPath10 {
			kind = "xs:boolean"
		}
		return Item{Kind: kind, Value: strconv.FormatBool((a.found.Total > 0) == (a.query.Shape == selection.Exists))}, nil
	case selection.Nodes:
	}
	if i -= a.req.Offset; i >= len(a.found.Results) {
		return Item{}, selection.ErrTree
	}
	r := a.found.Results[i]
	item := Item{Kind: r.Kind, Path: r.Path, Name: r.Name, Value: r.Value, Line: r.Line, Column: r.Column}
	if r.Kind != "element" {
		return cut(item, limit), nil
	}
	var err error
	item.Markup, item.Truncated, err = a.element(r, limit)
	return item, err
}

// element returns the markup of an element, whose text is parsed alone, in an element that
// declares its namespaces.
func (a *eventAnswer) element(r *selection.Result, limit int) (text string, truncated bool, err error) {
	const end = "</w>"
	size := r.To - r.From
	if size > a.config.MaxDocument {
		return "", false, a.tooLarge(a.name, size)
	}
	raw := make([]byte, len(r.Wrap)+int(size)+len(end))
	copy(raw, r.Wrap)
	copy(raw[len(raw)-len(end):], end)
	if _, err := a.text.ReadAt(raw[len(r.Wrap):len(raw)-len(end)], r.From); err != nil && !errors.Is(err, io.EOF) {
		return "", false, unreadable(a.name, err)
	}
	rent := &lease{from: a.memory}
	defer rent.end()
	doc, err := a.parse(a.ctx, &source{name: a.name, text: raw}, rent)
	if err != nil {
		return "", false, err
	}
	return doc.tree.inner(limit)
}
