package document

import "context"

// An engine reads XML. There is one; the interface is all that the rest of the
// package knows of it.
type engine interface {
	// parse makes a tree of src, which was surveyed and found acceptable. It
	// stops soon after ctx ends.
	parse(ctx context.Context, src *source, seen *survey) (tree, error)
	// compile makes a grammar of a schema document, and asks files for what it
	// includes and imports, by absolute paths or by URI. It may take long
	// however short ctx is.
	compile(ctx context.Context, schema tree, files *schemaFiles) (grammar, error)
}

// A tree is a parsed document. It is only read, by many at a time.
type tree interface {
	// query evaluates an expression with the document as its context. It stops
	// soon after ctx ends, or after the operation that is then under way.
	query(ctx context.Context, q expression) (answer, error)
}

// An expression is a question in XPath 1.0 or 3.1.
type expression struct {
	text       string
	strict1    bool              // XPath 1.0 and nothing more
	namespaces map[string]string // prefix to URI
}

// An answer is a sequence of items. It is read by one goroutine.
type answer interface {
	kind() ResultType
	len() int
	// item renders the i-th item; values and markup stop at about limit bytes.
	item(i, limit int) (Item, error)
}

// A grammar is a compiled schema. It is only read, by many at a time.
type grammar interface {
	// alters reports whether validating t may add attributes to it that a schema
	// has defaults for. Then t must not be shared. With nil it tells whether that
	// is so for every tree.
	alters(t tree) bool
	// validate tells report of every violation, in document order. It may take
	// long however short ctx is.
	validate(ctx context.Context, t tree, report func(Violation)) error
}
