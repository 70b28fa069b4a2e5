// Package compile makes schema components of schema documents (XML Schema 1.0, part 1):
// it reads the documents that others include, import and redefine, resolves names, and
// checks the constraints on components.
package compile

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// Name is an expanded name.
type Name = component.Name

// A Loader reads further schema documents.
type Loader interface {
	// Load returns the root of the document at a location that a schema document, or an
	// instance with the given file name, refers to. It returns nil if there is none, and
	// the same root for the same document.
	Load(ctx context.Context, file, location string) (*read.Node, error)
}

// A Problem is an error in a schema document. An error of Load that concerns the contents
// of a document has this type.
type Problem struct {
	File         string
	Line, Column int
	Path         string
	Message      string
}

func (p *Problem) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// A Request is a document that the schema begins with.
type Request struct {
	Root  *read.Node
	Space string // that it must have, if Import is set
}

// maxProblems limits the problems that are recorded.
const maxProblems = 10_000

// A compiler compiles the documents of a schema.
type compiler struct {
	ended  func() error // returns the error of the context
	load   func(file, location string) (*read.Node, error)
	schema *component.Schema

	depth    int // definitions that are made for one another
	problems []Problem
	more     bool
	err      error // that ends the compilation

	docs     map[docKey]*document
	checked  map[*read.Node]bool // roots that were compared with the schema for schemas
	tables   [kinds]map[Name]*source
	order    []*source
	identity map[Name]*component.Identity

	complexes map[*component.Complex]*complexSource
	pending   []*component.Complex // to be completed
	later     []func()             // checks for when all components are complete
	refers    []func()             // references between identity constraints

	checkedModels map[*component.Particle]bool // which extensions without elements share
	particles     int                          // of all models
	attributes    int                          // that types and groups have from others

	incomplete map[component.Type]missing  // types that refer to nothing
	used       map[*component.Element]bool // global elements that are referred to
}

// A kind is a symbol space.
type kind uint8

const (
	typeKind kind = iota
	elementKind
	attributeKind
	groupKind
	attributeGroupKind
	notationKind
	kinds
)

// nouns are the kinds in messages.
var nouns = [kinds]string{"type definition", "element declaration", "attribute declaration", "model group definition", "attribute group definition", "notation declaration"}

// A docKey identifies a document as it is included in a namespace.
type docKey struct {
	root  *read.Node
	space string
}

// A document is a schema document in the namespace that it is included in.
type document struct {
	root      *read.Node
	space     string
	chameleon bool // names without a prefix or default namespace are in space
	imports   map[string]bool

	elements, attributes bool // local declarations are qualified
	block, final         component.Set
}

// A source is a global declaration or definition.
type source struct {
	kind    kind
	name    Name
	node    *read.Node
	doc     *document
	old     *source // that is redefined
	state   progress
	value   any
	widened bool // a group that refers to itself where it is redefined
}

// progress tells circular definitions.
type progress uint8

const (
	untouched progress = iota
	building
	built
)

// Compile compiles a schema from a document and those that it refers to. It returns the
// problems of the documents, and an error if the compilation had to end.
func Compile(ctx context.Context, root *read.Node, load Loader) (*component.Schema, []Problem, error) {
	c := newCompiler(ctx, nil, load)
	if c.check(root) {
		c.document(root, targetSpace(root), false)
	}
	return c.finish()
}

// Extend compiles documents of further namespaces, and returns a schema that extends
// base.
func Extend(ctx context.Context, base *component.Schema, roots []*read.Node, load Loader) (*component.Schema, []Problem, error) {
	c := newCompiler(ctx, base, load)
	for _, root := range roots {
		if c.check(root) {
			c.document(root, targetSpace(root), false)
		}
	}
	return c.finish()
}

func newCompiler(ctx context.Context, base *component.Schema, load Loader) *compiler {
	c := &compiler{
		ended:  ctx.Err,
		load:   func(file, location string) (*read.Node, error) { return load.Load(ctx, file, location) },
		schema: component.NewSchema(base), docs: map[docKey]*document{}, checked: map[*read.Node]bool{},
		identity: map[Name]*component.Identity{}, complexes: map[*component.Complex]*complexSource{}, checkedModels: map[*component.Particle]bool{},
		incomplete: map[component.Type]missing{}, used: map[*component.Element]bool{},
	}
	for k := range c.tables {
		c.tables[k] = map[Name]*source{}
	}
	return c
}

// finish makes and checks the components.
func (c *compiler) finish() (*component.Schema, []Problem, error) {
	for _, s := range c.order {
		if c.tables[s.kind][s.name] == s || s.old == nil {
			c.build(s)
		}
		if c.over() {
			return nil, c.problems, c.err
		}
	}
	for len(c.pending) > 0 && !c.over() {
		t := c.pending[0]
		c.pending = c.pending[1:]
		c.complete(t)
	}
	for _, refer := range c.refers {
		refer()
	}
	for _, check := range c.later {
		if c.over() {
			break
		}
		check()
	}
	return c.schema, c.problems, c.err
}

// over reports whether the compilation has to end, for an error or its context.
func (c *compiler) over() bool {
	if c.err == nil {
		c.err = c.ended()
	}
	return c.err != nil
}

// say records a problem.
func (c *compiler) say(n *read.Node, format string, args ...any) {
	if len(c.problems) == maxProblems {
		c.more = true
		return
	}
	c.problems = append(c.problems, Problem{n.File, n.Line, n.Column, n.Path(), fmt.Sprintf(format, args...)})
}

// check compares a document with the schema for schemas, once.
func (c *compiler) check(root *read.Node) bool {
	if ok, known := c.checked[root]; known {
		return ok
	}
	ok := read.Check(root, func(n *read.Node, message string) { c.say(n, "%s", message) })
	c.checked[root] = ok
	return ok
}

func targetSpace(root *read.Node) string {
	space, _ := root.Attr("targetNamespace")
	return space
}
