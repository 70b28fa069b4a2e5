package validate

import (
	"context"
	"errors"
	"io"

	"github.com/triptych-mcp/triptych/debugger/document/schema/automata"
	"github.com/triptych-mcp/triptych/debugger/document/schema/compile"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
)

// A Name is an expanded name.
type Name = event.Name

// Options are the options of a validation.
type Options struct {
	Limit  int            // of the violations that are listed; 0 for 10,000
	Loader compile.Loader // of the schemas that a document refers to; nil to disregard them
	File   string         // of the document, for the loader
}

// A Result holds the findings of a validation.
type Result struct {
	Violations []Violation // in document order
	More       int         // further violations
	Warnings   []string
}

// maxViolations is the limit of violations if the options have none.
const maxViolations = 10_000

// Document reads a document to its end and validates it. Its error is that of the parser
// or of the context, or one of [automata.ErrStates].
func (g *Grammar) Document(ctx context.Context, p *event.Parser, o Options) (*Result, error) {
	if o.Limit == 0 {
		o.Limit = maxViolations
	}
	v := &validator{
		grammar: g, schema: g.schema, parser: p, options: o, runner: automata.NewRunner(g.schema),
		infos: map[component.Type]*typeInfo{}, found: list{limit: o.Limit}, ids: &ids{}, ended: ctx.Err,
	}
	v.tracker = identity.NewTracker(func(at *identity.Place, message string) { v.found.add(at, "", message) })
	if err := v.read(ctx); err != nil {
		return nil, err
	}
	v.ids.resolve(&v.found)
	return &Result{v.found.sorted(), v.found.more, v.warnings}, nil
}

// A validator validates one document.
type validator struct {
	grammar  *Grammar
	schema   *component.Schema // of the grammar, or one that extends it
	parser   *event.Parser
	options  Options
	runner   *automata.Runner
	infos    map[component.Type]*typeInfo
	tracker  *identity.Tracker
	ids      *ids
	found    list
	warnings []string
	insteads map[instead]substitution
	hinted   map[string]bool // namespaces that were loaded, or could not be

	stack  []frame
	number int           // of elements
	text   []byte        // of the open elements whose text is kept
	names  map[Name]bool // of the attributes of an element
	steps  int           // of comparisons with patterns
	err    error         // that ends the validation
	ended  func() error  // returns the error of the context
}

const (
	checkEvery = 64      // events, or attributes of one element, between looks at the context, and
	checkWork  = 500_000 // steps of paths of identity constraints, at most
)

// read validates all events.
func (v *validator) read(ctx context.Context) error {
	worked := 0
	for n := 1; ; n++ {
		if n%checkEvery == 0 || v.tracker.Work()-worked > checkWork {
			if worked = v.tracker.Work(); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		e, err := v.parser.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch e.Kind {
		case event.Start:
			v.start(ctx, e)
		case event.Text:
			v.characters(e.Text)
		case event.End:
			v.end()
		}
		if v.tracker.Full() {
			return &event.LimitError{Line: e.Line, Column: e.Column, What: "paths of identity constraints that are followed at once", Limit: identity.MaxOpen}
		}
		if v.err != nil {
			return v.err
		}
		if v.runner.Err != nil {
			return v.runner.Err
		}
	}
}

// Ended implements [datatype.Ender].
func (v *validator) Ended() bool {
	if v.err == nil {
		v.err = v.ended()
	}
	return v.err != nil
}

// maxSteps limits the steps that comparisons with patterns take for a document, beyond some
// for each byte.
const maxSteps = 100_000_000

// Spend implements [datatype.Spender].
func (v *validator) Spend(steps int) bool {
	if v.steps += steps; v.steps > maxSteps && v.err == nil {
		f := v.top()
		v.err = &event.LimitError{Line: f.line, Column: f.column, What: "steps that values take to be compared with patterns", Limit: maxSteps}
	}
	return v.err == nil
}

// Lookup implements [datatype.Context]. The prefix xmlns is for declarations only.
func (v *validator) Lookup(prefix string) (string, bool) {
	if prefix == "xmlns" {
		return "", false
	}
	return v.parser.Lookup(prefix)
}

// UnparsedEntity implements [datatype.Context].
func (v *validator) UnparsedEntity(name string) bool { return v.parser.UnparsedEntity(name) }

// Notation implements [datatype.Context].
func (v *validator) Notation(name Name) bool { return v.schema.Notation(name) }

// info returns what validation needs of a type.
func (v *validator) info(t component.Type) *typeInfo {
	i := v.infos[t]
	if i == nil {
		var err error
		if i, err = v.grammar.info(t, v.schema == v.grammar.schema); err != nil {
			v.err = err
			return &typeInfo{}
		}
		v.infos[t] = i
	}
	return i
}
