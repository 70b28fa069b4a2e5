package document

import "context"

// An engine parses XML, evaluates queries and compiles schemas of version 1.1. The rest of the
// package uses the only implementation, helium, through this interface.
type engine interface {
	// parse returns the tree of src, which has been surveyed. It stops soon
	// after ctx ends.
	parse(ctx context.Context, src *source, seen *survey) (tree, error)
	// compile compiles a schema document of version 1.1. It opens included and
	// imported files with files, by absolute path or by URI. It does not stop when
	// ctx ends.
	compile(ctx context.Context, schema tree, files *schemaFiles) (grammar, error)
	// check returns an error for an expression that is not valid with the namespaces
	// of q.
	check(q expression) error
}

// A tree is a parsed document. It is not modified and may be shared.
type tree interface {
	// query evaluates an expression with the document as its context. It
	// stops soon after ctx ends, or after the current operation.
	query(ctx context.Context, q expression) (answer, error)
	// inner returns the XML of the first element in the root element, truncated at
	// limit bytes.
	inner(limit int) (text string, truncated bool, err error)
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
	// edition returns the version of XML Schema that the schema is read as.
	edition() string
	// validate reads the document that an argument names or is, and returns all its
	// violations in document order.
	validate(ctx context.Context, l *Library, argument string) (*verdict, error)
}

// A verdict holds the findings of a validation.
type verdict struct {
	name       string // of the document
	violations []Violation
	more       int // violations that are not listed
	warnings   []string
}
