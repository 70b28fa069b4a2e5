// Package selection answers XPath queries that need no tree while a document is read as
// events.
//
//	query, ok := selection.Parse(`count(//book[price > 40]/title)`, false)
//	found, err := query.Run(ctx, parser, selection.Options{Count: 100})
//
// Such a query is an absolute path of child and descendant steps with tests of names,
// which may end in attributes or text, or one of count, exists, empty, boolean and not of
// such a path. Predicates are positions among siblings, and comparisons with literals,
// contains, starts-with and tests of existence of what stands in the element, joined by
// and, or and not.
//
// Answers equal those of packages xpath1 and xpath3 of helium. Where that cannot be
// known, as for errors of values, ErrTree is returned, and the caller should use a tree.
//
// Memory is bounded by the nesting of elements, the values that predicates compare, and
// the results that are asked for. A Query is not modified; goroutines may share it.
package selection

import "errors"

// ErrTree reports that a query needs the tree of the document.
var ErrTree = errors.New("the query needs a tree")
