package document

import (
	"context"
	"fmt"
	"strings"

	dom "github.com/lestrrat-go/helium"
	"github.com/lestrrat-go/helium/xpath3"
)

// Limits of the arguments and results of functions, in bytes of strings.
const (
	maxMade  = 64 * mib // for functions that may copy their arguments many times
	maxGiven = 4 * mib  // for functions that split a string into many small values
)

// A guard limits a function of XPath 3.1 with which a short query could exhaust
// the memory in a single step, which a deadline would not interrupt.
type guard struct {
	name     string
	min, max int // arity; a negative max means any
	limit    int
	weigh    func(args []xpath3.Sequence, limit int) int // estimates the size of the result
}

var guards = []guard{
	{"concat", 2, -1, maxMade, weighAll},
	{"string-join", 1, 2, maxMade, weighJoin},
	{"replace", 3, 4, maxMade, weighReplace},
	{"serialize", 1, 2, maxMade, weighAll},
	{"string-to-codepoints", 1, 1, maxGiven, weighAll},
	{"tokenize", 1, 3, maxGiven, weighAll},
	{"analyze-string", 2, 3, maxGiven, weighAll},
	{"parse-xml", 1, 1, maxGiven, weighAll},
	{"parse-xml-fragment", 1, 1, maxGiven, weighAll},
	{"parse-json", 1, 2, maxGiven, weighAll},
	{"json-to-xml", 1, 2, maxGiven, weighAll},
}

// hidden lists functions about what a query must not read: the environment of the
// server, which may hold secrets (XPath functions 3.1, section 15.1.5, leaves open
// which variables are visible), and texts besides the document.
var hidden = []hiddenFunction{
	{guard: guard{name: "environment-variable", min: 1, max: 1}, answer: xpath3.EmptySequence()},
	{guard: guard{name: "available-environment-variables", min: 0, max: 0}, answer: xpath3.EmptySequence()},
	{guard: guard{name: "unparsed-text-available", min: 1, max: 2}, answer: xpath3.SingleBoolean(false), optional: true},
}

// A guardedSet holds the functions that replace those of the engine.
type guardedSet struct {
	byLocal map[string]xpath3.Function
	byName  map[xpath3.QualifiedName]xpath3.Function
}

func newGuardedSet(parser dom.Parser) *guardedSet {
	set := &guardedSet{map[string]xpath3.Function{}, map[xpath3.QualifiedName]xpath3.Function{}}
	for _, g := range guards {
		set.add(g.name, &guardedFunction{g, parser})
	}
	for _, g := range hidden {
		set.add(g.name, g)
	}
	return set
}

func (s *guardedSet) add(name string, f xpath3.Function) {
	s.byLocal[name] = f
	s.byName[xpath3.QualifiedName{URI: xpath3.NSFn, Name: name}] = f
}

func (s *guardedSet) functions() (map[string]xpath3.Function, map[xpath3.QualifiedName]xpath3.Function) {
	return s.byLocal, s.byName
}

// A hiddenFunction returns the same answer for all arguments.
type hiddenFunction struct {
	guard
	answer   xpath3.Sequence
	optional bool // the first argument may be the empty sequence
}

func (f hiddenFunction) MinArity() int { return f.min }
func (f hiddenFunction) MaxArity() int { return f.max }
func (f hiddenFunction) Call(_ context.Context, args []xpath3.Sequence) (xpath3.Sequence, error) {
	for i, a := range args {
		empty := i == 0 && f.optional && (a == nil || a.Len() == 0)
		if !empty && !isString(a) {
			return nil, &xpath3.XPathError{Code: "XPTY0004", Message: "an argument of " + f.name + " is not one string"}
		}
	}
	return f.answer, nil
}

// isString reports whether a sequence is one string, or one item that becomes a
// string as an argument: a node, an xs:anyURI, an xs:untypedAtomic.
func isString(s xpath3.Sequence) bool {
	if s == nil || s.Len() != 1 {
		return false
	}
	switch item := s.Get(0).(type) {
	case xpath3.NodeItem:
		return true
	case xpath3.AtomicValue:
		_, ok := item.Value.(string)
		return ok
	}
	return false
}

// A guardedFunction checks the size of its arguments and calls the engine's
// function.
type guardedFunction struct {
	guard
	parser dom.Parser
}

func (f *guardedFunction) MinArity() int { return f.min }
func (f *guardedFunction) MaxArity() int { return f.max }

func (f *guardedFunction) Call(ctx context.Context, args []xpath3.Sequence) (xpath3.Sequence, error) {
	if f.weigh(args, f.limit) > f.limit {
		return nil, &LimitError{Subject: "query", What: "bytes in one call of " + f.name, Limit: int64(f.limit)}
	}
	variables := map[string]xpath3.Sequence{}
	names := make([]string, len(args))
	for i, a := range args {
		if a == nil {
			a = xpath3.EmptySequence()
		}
		name := fmt.Sprintf("a%d", i)
		variables[name], names[i] = a, "$"+name
	}
	call, err := xpath3.NewCompiler().Compile("fn:" + f.name + "(" + strings.Join(names, ",") + ")")
	if err != nil {
		return nil, err
	}
	result, err := xpath3.NewEvaluator(xpath3.EvalBorrowing).
		Variables(variables).Parser(f.parser).
		Evaluate(ctx, call, xpath3.FnContextNode(ctx))
	if err != nil {
		return nil, err
	}
	return result.Sequence(), nil
}

// weighAll returns the size of all arguments.
func weighAll(args []xpath3.Sequence, limit int) int {
	sum := 0
	for _, a := range args {
		if sum += weight(a, limit-sum); sum > limit {
			break
		}
	}
	return sum
}

// weighJoin also counts a separator for each item.
func weighJoin(args []xpath3.Sequence, limit int) int {
	sum := weighAll(args, limit)
	if len(args) == 2 && args[0] != nil && sum <= limit {
		sum += weight(args[1], limit) * args[0].Len()
	}
	return sum
}

// weighReplace assumes that every character is replaced.
func weighReplace(args []xpath3.Sequence, limit int) int {
	return weight(args[0], limit) * (1 + weight(args[2], limit))
}

// weight returns the size of a sequence's strings in bytes. It stops counting
// above limit.
func weight(s xpath3.Sequence, limit int) int {
	sum := 0
	if s == nil {
		return 0
	}
	for i := 0; i < s.Len() && sum <= limit; i++ {
		switch item := s.Get(i).(type) {
		case xpath3.NodeItem:
			sum += len(item.Node.Content())
		case xpath3.AtomicValue:
			sum += 8
			if text, ok := item.Value.(string); ok {
				sum += len(text)
			}
		default:
			sum += 64
		}
	}
	return sum
}
