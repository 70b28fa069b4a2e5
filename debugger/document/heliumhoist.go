package document

import (
	"slices"
	"strings"

	"github.com/lestrrat-go/helium/xpath3"
)

// A hoister replaces the parts of a query that are evaluated many times with one
// result, such as //b/@ref in //a[@id = //b/@ref], by calls of functions that evaluate
// them when they are first needed and remember the result. So a part that is never
// reached raises no error. Only parts that depend on nothing but the document are
// replaced, and only where the context item is a node: the functions check that it is
// one of the document.
type hoister struct {
	parts []part
}

// A part is an expression that is evaluated once. If it is compared, the function
// takes the other operand and reports whether the two have an equal value.
type part struct {
	expr     xpath3.Expr
	compared bool
	left     bool // it is the operand on the left
}

// hoistNamespace is the namespace of the functions. A query that contains it is
// evaluated as it is.
const hoistNamespace = "urn:triptych:once"

// hoist returns an expression with the parts replaced, or nil if it has none.
func hoist(query string) (xpath3.Expr, []part) {
	if strings.Contains(query, hoistNamespace) || !strings.Contains(query, "/") {
		return nil, nil
	}
	parsed, err := xpath3.Parse(query)
	if err != nil {
		return nil, nil
	}
	var h hoister
	made := h.rewrite(parsed, hoistScope{nodes: true})
	if len(h.parts) == 0 {
		return nil, nil
	}
	return made, h.parts
}

// A hoistScope describes where in a query an expression is.
type hoistScope struct {
	repeated bool // it may be evaluated many times
	nodes    bool // the context item is a node
}

// rewrite returns an expression with its parts replaced.
func (h *hoister) rewrite(e xpath3.Expr, at hoistScope) xpath3.Expr {
	if at.repeated && at.nodes && invariant(e) {
		return h.call(part{expr: e})
	}
	switch e := e.(type) {
	case xpath3.BinaryExpr:
		return h.binary(e, at)
	case *xpath3.LocationPath:
		return h.path(e)
	case xpath3.PathExpr:
		return xpath3.PathExpr{Filter: h.rewrite(e.Filter, at), Path: h.path(e.Path)}
	case xpath3.PathStepExpr:
		e.Left, e.Right = h.rewrite(e.Left, at), h.rewrite(e.Right, hoistScope{true, true})
		return e
	case xpath3.FilterExpr:
		within := hoistScope{true, yieldsNodes(e.Expr)}
		return xpath3.FilterExpr{Expr: h.rewrite(e.Expr, at), Predicates: h.all(e.Predicates, within)}
	case xpath3.SimpleMapExpr:
		within := hoistScope{true, yieldsNodes(e.Left)}
		return xpath3.SimpleMapExpr{Left: h.rewrite(e.Left, at), Right: h.rewrite(e.Right, within)}
	case xpath3.FunctionCall:
		e.Args = h.all(e.Args, at)
		return e
	case xpath3.SequenceExpr:
		return xpath3.SequenceExpr{Items: h.all(e.Items, at)}
	case xpath3.IfExpr:
		return xpath3.IfExpr{Cond: h.rewrite(e.Cond, at), Then: h.rewrite(e.Then, at), Else: h.rewrite(e.Else, at)}
	case xpath3.FLWORExpr:
		return h.loop(e, at)
	case xpath3.QuantifiedExpr:
		return h.quantified(e, at)
	}
	return e
}

func (h *hoister) all(list []xpath3.Expr, at hoistScope) []xpath3.Expr {
	made := slices.Clone(list)
	for i, e := range made {
		made[i] = h.rewrite(e, at)
	}
	return made
}

func (h *hoister) path(given *xpath3.LocationPath) *xpath3.LocationPath {
	p := *given
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		p.Steps[i].Predicates = h.all(p.Steps[i].Predicates, hoistScope{true, true})
	}
	return &p
}

// binary replaces an operand of a comparison together with the comparison. The
// operand on the left is evaluated first: only one that raises no error may be
// evaluated after the other. The engine compares ranges in another way and order.
func (h *hoister) binary(e xpath3.BinaryExpr, at hoistScope) xpath3.Expr {
	if at.repeated && at.nodes && e.Op == xpath3.TokenEquals && !isRange(e.Left) && !isRange(e.Right) {
		if invariant(e.Right) {
			return h.call(part{expr: e.Right, compared: true}, h.rewrite(e.Left, at))
		}
		if path, ok := e.Left.(*xpath3.LocationPath); ok && invariant(path) && !filtered(path) {
			return h.call(part{expr: path, compared: true, left: true}, h.rewrite(e.Right, at))
		}
	}
	e.Left, e.Right = h.rewrite(e.Left, at), h.rewrite(e.Right, at)
	return e
}

func isRange(e xpath3.Expr) bool {
	_, ok := e.(xpath3.RangeExpr)
	return ok
}

// loop rewrites the clauses after the first for as repeated.
func (h *hoister) loop(e xpath3.FLWORExpr, at hoistScope) xpath3.Expr {
	e.Clauses = slices.Clone(e.Clauses)
	for i, clause := range e.Clauses {
		switch c := clause.(type) {
		case xpath3.ForClause:
			c.Expr = h.rewrite(c.Expr, at)
			e.Clauses[i], at.repeated = c, true
		case xpath3.LetClause:
			c.Expr = h.rewrite(c.Expr, at)
			e.Clauses[i] = c
		default:
			return e
		}
	}
	e.Return = h.rewrite(e.Return, at)
	return e
}

func (h *hoister) quantified(e xpath3.QuantifiedExpr, at hoistScope) xpath3.Expr {
	e.Bindings = slices.Clone(e.Bindings)
	for i := range e.Bindings {
		e.Bindings[i].Domain = h.rewrite(e.Bindings[i].Domain, at)
		at.repeated = true
	}
	e.Satisfies = h.rewrite(e.Satisfies, at)
	return e
}

// call returns the call of the function for a part.
func (h *hoister) call(p part, args ...xpath3.Expr) xpath3.Expr {
	h.parts = append(h.parts, p)
	return xpath3.FunctionCall{Name: "Q{" + hoistNamespace + "}" + partName(len(h.parts)-1), Args: args}
}

// yieldsNodes reports whether an expression has nodes only.
func yieldsNodes(e xpath3.Expr) bool {
	switch e := e.(type) {
	case *xpath3.LocationPath, xpath3.PathExpr, xpath3.UnionExpr, xpath3.IntersectExceptExpr:
		return true
	case xpath3.FilterExpr:
		return yieldsNodes(e.Expr)
	}
	return false
}

// filtered reports whether a path has predicates.
func filtered(p *xpath3.LocationPath) bool {
	return slices.ContainsFunc(p.Steps, func(s xpath3.Step) bool { return len(s.Predicates) > 0 })
}
