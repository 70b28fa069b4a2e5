package document

import "context"

// An engine parses XML, evaluates queries and compiles schemas. The rest of the
// package uses the only implementation, helium, through this interface.
type engine interface {
	// parse returns the tree of src, which has been surveyed. It stops soon
	// after ctx ends.
	parse(ctx context.Context, src *source, seen *survey) (tree, error)
	// compile compiles a schema document. It opens included and imported
	// files with files, by absolute path or by URI. It does not stop when ctx
	// ends.
	compile(ctx context.Context, schema tree, files *schemaFiles) (grammar, error)
}

// A tree is a parsed document. It is not modified and may be shared.
type tree interface {
	// query evaluates an expression with the document as its context. It
	// stops soon after ctx ends, or after the current operation.
	query(ctx context.Context, q expression) (answer, error)
}

// An expression is an XPath 1.0 or 3.1 expression.
type expression struct {
	text       string
	strict1    bool              // accept XPath 1.0 only
	namespaces map[string]string // prefix to URI
	literal    bool              // evaluate it as it is, for tests
}

// An answer is a sequence of items. It must be used by one goroutine at a time.
type answer interface {
	kind() ResultType
	len() int
	// item renders the i-th item. Values and markup are truncated at about
	// limit bytes.
	item(i, limit int) (Item, error)
}

// A grammar is a compiled schema. It is only read, by many at a time.
type grammar interface {
	// alters reports whether validating t may add attributes to it that a schema
	// has defaults for. Then t must not be shared. With nil it reports whether that
	// is so for every tree.
	alters(t tree) bool
	// validate tells report of every violation, in document order. It may take
	// long however short ctx is.
	validate(ctx context.Context, t tree, report func(Violation)) error
}
