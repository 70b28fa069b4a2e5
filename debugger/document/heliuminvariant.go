package document

import (
	"slices"

	"github.com/lestrrat-go/helium/xpath3"
)

// invariant reports whether an expression reads the document, and has the same result
// for all context items that are nodes of it.
func invariant(e xpath3.Expr) bool {
	f := &invariance{}
	return f.holds(e, false) && f.reads
}

// A invariance holds what is known about a part of a query.
type invariance struct {
	reads bool // it has a path from the root
}

// holds reports whether an expression does not depend on what is around it. Within,
// its context item is one that it has itself.
func (f *invariance) holds(e xpath3.Expr, within bool) bool {
	switch e := e.(type) {
	case xpath3.LiteralExpr:
		return true
	case xpath3.ContextItemExpr:
		return within
	case *xpath3.LocationPath:
		f.reads = f.reads || e.Absolute && len(e.Steps) > 0
		return (e.Absolute || within) && f.steps(e.Steps)
	case xpath3.PathExpr:
		return f.holds(e.Filter, within) && f.steps(e.Path.Steps)
	case xpath3.FilterExpr:
		return f.holds(e.Expr, within) && f.all(e.Predicates, true)
	case xpath3.BinaryExpr:
		return f.holds(e.Left, within) && f.holds(e.Right, within)
	case xpath3.UnionExpr:
		return f.holds(e.Left, within) && f.holds(e.Right, within)
	case xpath3.UnaryExpr:
		return f.holds(e.Operand, within)
	case xpath3.ConcatExpr:
		return f.holds(e.Left, within) && f.holds(e.Right, within)
	case xpath3.SequenceExpr:
		return f.all(e.Items, within)
	case xpath3.FunctionCall:
		return f.call(e, within)
	}
	return false
}

func (f *invariance) all(list []xpath3.Expr, within bool) bool {
	return !slices.ContainsFunc(list, func(e xpath3.Expr) bool { return !f.holds(e, within) })
}

func (f *invariance) steps(list []xpath3.Step) bool {
	return !slices.ContainsFunc(list, func(s xpath3.Step) bool { return !f.all(s.Predicates, true) })
}

// call reports whether a function has the same result for the same arguments. Without
// arguments, the functions of focused read the context item.
func (f *invariance) call(e xpath3.FunctionCall, within bool) bool {
	if e.Prefix != "" {
		return false
	}
	if len(e.Args) == 0 {
		return within && slices.Contains(focused, e.Name) || e.Name == "true" || e.Name == "false"
	}
	return slices.Contains(pure, e.Name) && f.all(e.Args, within)
}

var (
	focused = []string{"position", "last", "string", "number", "name", "local-name", "string-length", "normalize-space"}
	// pure lists functions of nodes and values that make no nodes and depend on
	// nothing but their arguments.
	pure = []string{
		"count", "empty", "exists", "not", "boolean", "data", "distinct-values", "sum", "min", "max", "avg",
		"string", "number", "string-length", "normalize-space", "name", "local-name", "namespace-uri",
		"concat", "string-join", "contains", "starts-with", "ends-with", "substring", "substring-before",
		"substring-after", "upper-case", "lower-case", "translate", "head", "tail", "reverse", "subsequence",
	}
)
