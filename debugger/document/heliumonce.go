package document

import (
	"context"
	"maps"
	"strconv"

	dom "github.com/lestrrat-go/helium"
	"github.com/lestrrat-go/helium/xpath3"
)

// A onceFunction evaluates a part of a query when it is first called, see hoister.
type onceFunction struct {
	tree  *heliumTree
	names map[string]string
	expr  *xpath3.Expression
	part  part

	done   bool
	result xpath3.Sequence
	err    error
	values map[string]struct{} // of the result, if all are strings or xs:untypedAtomic
}

func partName(i int) string { return "e" + strconv.Itoa(i) }

// onceFunctions returns the functions for the parts of a query, with those of the
// engine's that are replaced for all queries.
func (t *heliumTree) onceFunctions(parts []part, names map[string]string) (map[xpath3.QualifiedName]xpath3.Function, error) {
	_, byName := t.engine.guards.functions()
	byName = maps.Clone(byName)
	for i, p := range parts {
		expr, err := xpath3.NewCompiler().CompileExpr(p.expr)
		if err != nil {
			return nil, err
		}
		byName[xpath3.QualifiedName{URI: hoistNamespace, Name: partName(i)}] =
			&onceFunction{tree: t, names: names, expr: expr, part: p}
	}
	return byName, nil
}

func (f *onceFunction) MinArity() int {
	if f.part.compared {
		return 1
	}
	return 0
}

func (f *onceFunction) MaxArity() int { return f.MinArity() }

func (f *onceFunction) Call(ctx context.Context, args []xpath3.Sequence) (xpath3.Sequence, error) {
	node := xpath3.FnContextNode(ctx)
	if node == nil || rootOf(node) != dom.Node(f.tree.doc) {
		result, err := f.evaluate(ctx, node)
		if err != nil || !f.part.compared {
			return result, err
		}
		return f.compare(ctx, args[0], result)
	}
	if !f.done {
		f.result, f.err = f.evaluate(ctx, node)
		f.done = true
		if f.part.compared && f.err == nil {
			f.values = stringValues(f.result)
		}
	}
	if f.err != nil || !f.part.compared {
		return f.result, f.err
	}
	if equal, known := f.contains(args[0]); known {
		return xpath3.SingleBoolean(equal), nil
	}
	return f.compare(ctx, args[0], f.result)
}

func (f *onceFunction) evaluate(ctx context.Context, node dom.Node) (xpath3.Sequence, error) {
	result, err := f.tree.evaluator(f.names).Evaluate(ctx, f.expr, node)
	if err != nil {
		return nil, err
	}
	return result.Sequence(), nil
}

// rootOf returns the root of a node's tree.
func rootOf(node dom.Node) dom.Node {
	for up := node.Parent(); up != nil; up = node.Parent() {
		node = up
	}
	return node
}

// stringValues returns the values of a sequence as a set: nil if one of them is no
// string and no xs:untypedAtomic, or they are too large.
func stringValues(s xpath3.Sequence) map[string]struct{} {
	values := map[string]struct{}{}
	size := 0
	for i := range lengthOf(s) {
		text, ok := textOf(s.Get(i))
		if size += len(text); !ok || size > maxMade {
			return nil
		}
		values[text] = struct{}{}
	}
	return values
}

func lengthOf(s xpath3.Sequence) int {
	if s == nil {
		return 0
	}
	return s.Len()
}

// textOf returns the value of an item if it is a string or an xs:untypedAtomic. Such
// values are compared as strings, by code points (XPath 3.1, section 3.7.2).
func textOf(item xpath3.Item) (string, bool) {
	value, ok := item.(xpath3.AtomicValue)
	if !ok {
		node, isNode := item.(xpath3.NodeItem)
		if !isNode {
			return "", false
		}
		var err error
		if value, err = xpath3.AtomizeItem(node); err != nil {
			return "", false
		}
	}
	if value.TypeName != xpath3.TypeString && value.TypeName != xpath3.TypeUntypedAtomic {
		return "", false
	}
	text, ok := value.Value.(string)
	return text, ok
}

// contains reports whether one of the values of a sequence is in the result; known is
// false if they must be compared one by one.
func (f *onceFunction) contains(s xpath3.Sequence) (equal, known bool) {
	if f.values == nil {
		return false, false
	}
	for i := range lengthOf(s) {
		text, ok := textOf(s.Get(i))
		if !ok {
			return false, false
		}
		if _, found := f.values[text]; found {
			equal = true
		}
	}
	return equal, true
}

// comparison compares two variables.
const comparison = "$left = $right"

// compare has the engine compare the other operand with a result.
func (f *onceFunction) compare(ctx context.Context, other, result xpath3.Sequence) (xpath3.Sequence, error) {
	expr, err := xpath3.NewCompiler().Compile(comparison)
	if err != nil {
		return nil, err
	}
	left, right := orEmpty(other), orEmpty(result)
	if f.part.left {
		left, right = right, left
	}
	variables := map[string]xpath3.Sequence{"left": left, "right": right}
	equal, err := f.tree.evaluator(f.names).Variables(variables).Evaluate(ctx, expr, xpath3.FnContextNode(ctx))
	if err != nil {
		return nil, err
	}
	return equal.Sequence(), nil
}

func orEmpty(s xpath3.Sequence) xpath3.Sequence {
	if s == nil {
		return xpath3.EmptySequence()
	}
	return s
}
