package document

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	dom "github.com/lestrrat-go/helium"
	"github.com/lestrrat-go/helium/xsd"
)

// A heliumGrammar is a schema of version 1.1, which the engine compiled. Its validator adds
// default attributes to the tree that it validates.
type heliumGrammar struct{ schema *xsd.Schema }

func (h helium) compile(ctx context.Context, schema tree, files *schemaFiles) (grammar, error) {
	t := schema.(*heliumTree)
	files.lines = len(t.elements)
	problems := &problemList{tree: t, files: files}
	compiler := xsd.NewCompiler().Version(xsd.Version11).Parser(h.parser()).Label(t.name).ErrorHandler(problems).FS(files).BaseDir(fileURI(files.base + "/"))
	compiled, err := compiler.Compile(ctx, t.doc)
	if err != nil || len(problems.list) > 0 {
		return nil, schemaError(ctx, t, err, problems.list)
	}
	return heliumGrammar{compiled}, nil
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

func (g heliumGrammar) edition() string { return "1.1" }

// validate implements grammar.
func (g heliumGrammar) validate(ctx context.Context, l *Library, argument string) (*verdict, error) {
	rent := &lease{from: l.memory}
	defer rent.end()
	doc, err := l.own(ctx, argument, rent)
	if err != nil {
		return nil, err
	}
	t := doc.tree.(*heliumTree)
	found := &remarks{seen: map[remark]bool{}}
	err = xsd.NewValidator(g.schema).Label(t.name).ErrorHandler(found).Validate(ctx, t.doc)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil && (len(found.list) == 0 || !errors.Is(err, xsd.ErrValidationFailed)) {
		found.add(remark{number: 1, message: err.Error()})
	}
	return &verdict{name: doc.name, violations: found.violations(t), more: found.more}, nil
}

// A remark is a violation that the engine reports about an element or one of its
// attributes.
type remark struct {
	number    int    // of the element; 0 if unknown
	attribute string // in the engine's form
	message   string
}

// remarks collects the violations of a document, each once.
type remarks struct {
	list []remark
	seen map[remark]bool
	more int // number of violations omitted because the list was full
}

// Handle records a violation found by the engine.
func (l *remarks) Handle(_ context.Context, err error) {
	r := remark{message: strings.TrimSpace(err.Error())}
	if wrong, ok := errors.AsType[*xsd.ValidationError](err); ok {
		r = remark{wrong.Line, wrong.AttributeName, wrong.Message}
	}
	l.add(r)
}

func (l *remarks) add(r remark) {
	switch {
	case l.seen[r]:
	case len(l.list) == MaxViolations:
		l.more++
	default:
		l.seen[r] = true
		l.list = append(l.list, r)
	}
}

// violations returns all violations in document order.
func (l *remarks) violations(t *heliumTree) []Violation {
	slices.SortStableFunc(l.list, func(a, b remark) int { return cmp.Compare(a.number, b.number) })
	paths := newPathfinder()
	var all []Violation
	for _, r := range l.list {
		v := t.violation(paths, r.number, r.message)
		if r.attribute != "" && v.Path != "" {
			v.Path += "/@" + attributeStep(r.attribute)
		}
		all = append(all, v)
	}
	return all
}

// attributeStep converts {uri}local to a name of XPath 3.1.
func attributeStep(name string) string {
	if strings.HasPrefix(name, "{") {
		return "Q" + name
	}
	return name
}
