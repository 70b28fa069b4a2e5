package document

import (
	"context"
	"errors"
	"strconv"
	"strings"

	dom "github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd"
)

// A heliumGrammar is a compiled schema of the engine. Its validator adds default
// attributes to the tree that it validates.
type heliumGrammar struct {
	schema   *xsd.Schema
	defaults bool // the schema may have default attributes
}

func (g heliumGrammar) alters(t tree) bool {
	return g.defaults || t != nil && t.(*heliumTree).hints
}

func (h helium) compile(ctx context.Context, schema tree, files *schemaFiles) (grammar, error) {
	t := schema.(*heliumTree)
	files.lines = len(t.elements)
	problems := &problemList{tree: t, files: files}
	compiler := xsd.NewCompiler().Parser(h.parser()).Label(t.name).ErrorHandler(problems).FS(files).BaseDir(fileURI(files.base + "/"))
	compiled, err := compiler.Compile(ctx, t.doc)
	if err != nil || len(problems.list) > 0 {
		return nil, schemaError(ctx, t, err, problems.list)
	}
	return heliumGrammar{compiled, files.haveDefaults()}, nil
}

// schemaError converts an error of the compiler to a typed error: the error of a
// file that cannot be read, or a SchemaError.
func schemaError(ctx context.Context, t *heliumTree, err error, problems []Violation) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if fatal, ok := errors.AsType[fatalError](err); ok {
		return fatal.error
	}
	if len(problems) == 0 && err != nil {
		problems = []Violation{{File: t.name, Message: err.Error()}}
	}
	return &SchemaError{t.name, problems}
}

// A problemList collects the compiler's messages.
type problemList struct {
	tree  *heliumTree
	files *schemaFiles
	paths *pathfinder
	list  []Violation
}

// diagnostic matches the compiler's messages, which have the form of libxml2's.
var diagnostic = lazyRegexp(`(?s)^(.*?):(\d+): element [^:]*: Schemas parser (error|warning) : (.*?)\s*$`)

// Handle records a message. Warnings report imports that were not found; they
// matter only if the compilation fails.
func (p *problemList) Handle(_ context.Context, err error) {
	var leveled dom.ErrorLeveler
	if errors.As(err, &leveled) && leveled.ErrorLevel() == dom.ErrorLevelWarning {
		return
	}
	if len(p.list) == MaxViolations {
		return
	}
	m := diagnostic().FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		p.list = append(p.list, Violation{File: p.tree.name, Message: strings.TrimSpace(err.Error())})
	case m[3] == "error":
		p.list = append(p.list, p.place(m[1], m[2], m[4]))
	}
}

// place returns the violation for a message. A small line is the number of an
// element in the schema itself, a larger one is a line of an included file.
func (p *problemList) place(file, line, message string) Violation {
	number, _ := strconv.Atoi(line) // the expression matches digits only
	if path, line := p.files.unshift(number); path != "" {
		return Violation{File: path, Line: line, Message: message}
	}
	v := p.tree.violation(p.finder(), number, message)
	v.File = file
	if path, ok := localPath(file); ok {
		v.File = path
	}
	return v
}

func (p *problemList) finder() *pathfinder {
	if p.paths == nil {
		p.paths = newPathfinder()
	}
	return p.paths
}

// violation returns the violation of the element with a number.
func (t *heliumTree) violation(paths *pathfinder, number int, message string) Violation {
	v := Violation{Message: message}
	if number >= 1 && number <= len(t.elements) {
		v.Line, v.Column = t.position(number)
		v.Path = paths.path(t.elements[number-1])
	}
	return v
}

// validate reports the violations in document order.
func (g heliumGrammar) validate(ctx context.Context, subject tree, report func(Violation)) error {
	t := subject.(*heliumTree)
	found := newRemarks(t)
	err := xsd.NewValidator(g.schema).Label(t.name).ErrorHandler(found).InstanceHints(t.hints).Validate(ctx, t.doc)
	if ctx.Err() == nil && errors.Is(err, xsd.ErrValidationFailed) && len(found.list) > 0 {
		err = newAssessor(g.schema, t, found).document(ctx)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		found.add(remark{number: 1, message: err.Error()})
	}
	found.tell(report)
	return nil
}

// attributeStep converts {uri}local to a name of XPath 3.1.
func attributeStep(name string) string {
	if strings.HasPrefix(name, "{") {
		return "Q" + name
	}
	return name
}
