package document

import (
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"strconv"

	"github.com/lestrrat-go/helium/xpath1"
	"github.com/lestrrat-go/helium/xpath3"
)

// maxOperations limits an evaluation in addition to time. The engine counts a
// step of a path as one operation for each node.
const maxOperations = 500_000_000

func (t *heliumTree) query(ctx context.Context, q expression) (answer, error) {
	names := t.namespaces(q)
	if q.strict1 {
		return t.query1(ctx, q, names)
	}
	return t.query3(ctx, q, names)
}

// namespaces returns the prefixes of the root element, overridden by those of the
// request.
func (t *heliumTree) namespaces(q expression) map[string]string {
	all := map[string]string{}
	if root := t.doc.DocumentElement(); root != nil {
		for _, n := range root.Namespaces() {
			if n.Prefix() != "" {
				all[n.Prefix()] = n.URI()
			}
		}
	}
	maps.Copy(all, q.namespaces)
	return all
}

// check implements engine.
func (helium) check(q expression) error {
	if q.strict1 {
		_, _, err := compile1(q, q.namespaces)
		return err
	}
	if err := checkGrammar(q.text, q.namespaces); err != nil {
		return err
	}
	compiled, err := xpath3.NewCompiler().Compile(q.text)
	if err != nil {
		return err
	}
	return compiled.Validate(q.namespaces)
}

// compile1 compiles an expression of XPath 1.0.
func compile1(q expression, names map[string]string) (*xpath1.Expression, xpath1.Evaluator, error) {
	evaluator := xpath1.NewEvaluator().Namespaces(names).OpLimit(maxOperations)
	if _, ok := names[""]; ok {
		return nil, evaluator, &QueryError{Query: q.text, Message: "XPath 1.0 has no default namespace: bind a prefix"}
	}
	compiled, err := xpath1.NewCompiler().Compile(q.text)
	if err != nil {
		return nil, evaluator, err
	}
	return compiled, evaluator, evaluator.Validate(compiled) // also checks parts that are never evaluated
}

func (t *heliumTree) query1(ctx context.Context, q expression, names map[string]string) (answer, error) {
	compiled, evaluator, err := compile1(q, names)
	if wrong, ok := errors.AsType[*QueryError](err); ok {
		return nil, wrong
	}
	if err != nil {
		return nil, queryError(ctx, q, err)
	}
	result, err := evaluator.Evaluate(ctx, compiled, t.doc)
	if err != nil {
		return nil, queryError(ctx, q, err)
	}
	return &answer1{result, newRenderer(t)}, nil
}

func (t *heliumTree) query3(ctx context.Context, q expression, names map[string]string) (answer, error) {
	if err := checkGrammar(q.text, names); err != nil {
		return nil, err
	}
	compiled, err := xpath3.NewCompiler().Compile(q.text)
	if err != nil {
		return nil, coded(queryError(ctx, q, err), err, codeSyntax)
	}
	evaluator := t.evaluator(names)
	if !q.literal && compiled.Validate(names) == nil {
		evaluator, compiled = t.hoisted(q.text, names, evaluator, compiled)
	}
	result, err := evaluator.Evaluate(ctx, compiled, t.doc)
	if err != nil {
		return nil, coded(queryError(ctx, q, err), err, codeUnidentified)
	}
	return &answer3{result.Sequence(), newRenderer(t)}, nil
}

// hoisted returns a query with its parts that are evaluated once, see hoister, and the
// evaluator for it, or what it is given.
func (t *heliumTree) hoisted(query string, names map[string]string, evaluator xpath3.Evaluator, compiled *xpath3.Expression) (xpath3.Evaluator, *xpath3.Expression) {
	expr, parts := hoist(query)
	if parts == nil {
		return evaluator, compiled
	}
	made, err := xpath3.NewCompiler().CompileExpr(expr)
	if err != nil {
		return evaluator, compiled
	}
	byName, err := t.onceFunctions(parts, names)
	if err != nil {
		return evaluator, compiled
	}
	byLocal, _ := t.engine.guards.functions()
	return evaluator.Functions(byLocal, byName), made
}

// evaluator returns the XPath 3.1 evaluator, which cannot access anything outside
// the document, such as files, the network or the environment.
func (t *heliumTree) evaluator(names map[string]string) xpath3.Evaluator {
	byLocal, byName := t.engine.guards.functions()
	return xpath3.NewEvaluator(xpath3.DefaultEvaluatorOptions).
		Namespaces(names).
		BaseURI(t.doc.URL()).
		Parser(t.engine.parser()).
		Functions(byLocal, byName).
		TraceWriter(io.Discard).
		OpLimit(maxOperations)
}

// engineLimits maps errors of the engine to the limits that they report.
var engineLimits = []struct {
	err  error
	what string
}{
	{xpath1.ErrOpLimit, "operations"},
	{xpath3.ErrOpLimit, "operations"},
	{xpath1.ErrRecursionLimit, "recursion"},
	{xpath3.ErrRecursionLimit, "recursion"},
	{xpath1.ErrExprTooDeep, "nested expressions"},
	{xpath1.ErrNodeSetLimit, "items in a sequence"},
}

// queryError converts an error of the engine to a typed error.
func queryError(ctx context.Context, q expression, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if limit, ok := errors.AsType[*LimitError](err); ok {
		return limit
	}
	for _, l := range engineLimits {
		if errors.Is(err, l.err) {
			return &LimitError{Subject: "query", What: l.what, Detail: err.Error()}
		}
	}
	wrong := &QueryError{Query: q.text, Message: err.Error()}
	if coded, ok := errors.AsType[*xpath3.XPathError](err); ok {
		wrong.Code, wrong.Message = coded.Code, coded.Message
	}
	return wrong
}

// Codes of errors for which the engine has none (XPath 3.1, appendix F).
const (
	codeSyntax       = "XPST0003"
	codeUndeclared   = "XPST0008"
	codePrefix       = "XPST0081"
	codeUnidentified = "FOER0000"
)

// engineCodes are the codes of errors that the engine reports without one. All other
// errors of its parser are errors of the grammar.
var engineCodes = []struct {
	err  error
	code string
}{
	{xpath3.ErrUnknownFunction, "XPST0017"},
	{xpath3.ErrArityMismatch, "XPST0017"},
	{xpath3.ErrUnknownFunctionNamespace, "XPST0081"},
	{xpath3.ErrUndefinedVariable, "XPST0008"},
	{xpath3.ErrTypeMismatch, "XPTY0004"},
	{xpath3.ErrNotNodeSet, "XPTY0004"},
	{xpath3.ErrUnionNotNodeSet, "XPTY0004"},
	{xpath3.ErrPathNotNodeSet, "XPTY0019"},
}

// coded gives a QueryError without a code the one of its cause, or else of the phase.
func coded(err, cause error, phase string) error {
	wrong, ok := errors.AsType[*QueryError](err)
	if !ok || wrong.Code != "" {
		return err
	}
	wrong.Code = phase
	for _, c := range engineCodes {
		if errors.Is(cause, c.err) {
			wrong.Code = c.code
			break
		}
	}
	return wrong
}

// An answer1 is the result of an XPath 1.0 expression.
type answer1 struct {
	result *xpath1.Result
	render *renderer
}

func (a *answer1) kind() ResultType {
	switch a.result.Type {
	case xpath1.NumberResult:
		return Number
	case xpath1.StringResult:
		return String
	case xpath1.BooleanResult:
		return Boolean
	}
	return Nodes
}

func (a *answer1) len() int {
	if a.kind() == Nodes {
		return len(a.result.NodeSet)
	}
	return 1
}

func (a *answer1) item(i, limit int) (Item, error) {
	switch kind := a.kind(); kind {
	case Number:
		return Item{Kind: string(kind), Value: number(a.result.Number)}, nil
	case String:
		return cut(Item{Kind: string(kind), Value: a.result.String}, limit), nil
	case Boolean:
		return Item{Kind: string(kind), Value: strconv.FormatBool(a.result.Bool)}, nil
	}
	return a.render.node(a.result.NodeSet[i], limit)
}

// number formats a number as the string function does (XPath 1.0, section 4.2).
func number(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0" // also for negative zero
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// An answer3 is the result of an XPath 3.1 expression.
type answer3 struct {
	all    xpath3.Sequence
	render *renderer
}

func (a *answer3) len() int {
	if a.all == nil {
		return 0
	}
	return a.all.Len()
}

func (a *answer3) kind() ResultType {
	if a.len() == 1 {
		if value, ok := a.all.Get(0).(xpath3.AtomicValue); ok {
			return typeOf(value)
		}
	}
	for i := range a.len() {
		if _, ok := a.all.Get(i).(xpath3.NodeItem); !ok {
			return Sequence
		}
	}
	return Nodes
}

func typeOf(value xpath3.AtomicValue) ResultType {
	switch {
	case value.IsNumeric():
		return Number
	case value.TypeName == xpath3.TypeString:
		return String
	case value.TypeName == xpath3.TypeBoolean:
		return Boolean
	}
	return Sequence
}

func (a *answer3) item(i, limit int) (Item, error) {
	switch item := a.all.Get(i).(type) {
	case xpath3.NodeItem:
		return a.render.node(item.Node, limit)
	case xpath3.AtomicValue:
		value, err := xpath3.AtomicToString(item)
		return cut(Item{Kind: item.TypeName, Value: value}, limit), err
	case xpath3.MapItem:
		return adaptive("map", item, limit)
	case xpath3.ArrayItem:
		return adaptive("array", item, limit)
	}
	return Item{Kind: "function"}, nil
}
