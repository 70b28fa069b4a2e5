package document

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// A ValidateRequest validates a document against a W3C XML Schema.
type ValidateRequest struct {
	Document string // path below the roots, or XML text
	Schema   string // likewise; an inline schema includes files relative to the first root
}

// A Validation holds what is told of a document beside its violations.
type Validation struct {
	// Warnings lists files that the schema includes or imports but that were
	// not read, because they do not exist or would have to be fetched, and types that
	// the document names and that are not there. XML Schema permits a validation
	// without them.
	Warnings []string
	// Version is the version of XML Schema that the schema was read as, 1.0 or 1.1.
	Version string
}

// Validate returns nil if the document is valid, and a [ViolationsError] if it is
// not.
func (l *Library) Validate(ctx context.Context, req ValidateRequest) (Validation, error) {
	ctx, cancel := context.WithTimeout(ctx, l.config.Patience())
	defer cancel()
	return work(ctx, l.crew, "validation", func(ctx context.Context) (Validation, error) {
		return l.validate(ctx, req)
	})
}

// validate implements Validate on a worker.
func (l *Library) validate(ctx context.Context, req ValidateRequest) (Validation, error) {
	rules, err := l.schema(ctx, req.Schema)
	if err != nil {
		return Validation{}, err
	}
	result := Validation{Warnings: rules.warnings, Version: rules.grammar.edition()}
	found, err := rules.grammar.validate(ctx, l, req.Document)
	if err != nil {
		return result, err
	}
	result.Warnings = slices.Concat(rules.warnings, found.warnings)
	if len(found.violations) == 0 {
		return result, nil
	}
	return result, &ViolationsError{Document: found.name, Schema: rules.name, Violations: found.violations, More: found.more}
}

// own parses a document for a single request, which may modify it.
func (l *Library) own(ctx context.Context, argument string, rent *lease) (*parsed, error) {
	if isInline(argument) {
		return l.document(ctx, argument, rent)
	}
	file, addr, err := l.roots.open(argument)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // errors do not matter, it was only read
	src, err := l.read(file, addr.name())
	if err != nil {
		return nil, err
	}
	src.uri = l.roots.hide(src.name)
	return l.parse(ctx, src, rent)
}

// A schema is a compiled schema.
type schema struct {
	name     string
	grammar  grammar
	warnings []string
}

// schema returns the schema for an argument, from the cache or compiled now.
func (l *Library) schema(ctx context.Context, argument string) (*schema, error) {
	if isInline(argument) {
		src, err := l.inline(argument)
		if err != nil {
			return nil, err
		}
		e, err := l.compile(ctx, src)
		if err != nil {
			return nil, err
		}
		return e.value.(*schema), nil
	}
	e, err := l.find(ctx, schemaKind, argument, l.compile)
	if err != nil {
		return nil, err
	}
	return e.value.(*schema), nil
}

// schemaCost is the memory of a compiled schema per byte of its text. Measured on
// large schemas; the actual value depends on what they declare.
const schemaCost = 48

// compile compiles a schema with the files that it includes.
func (l *Library) compile(ctx context.Context, src *source) (*entry, error) {
	rent := &lease{from: l.memory}
	defer rent.end()
	files := &schemaFiles{library: l, base: l.schemaBase(src.name), rent: rent, total: int64(len(src.text))}
	compiled, err := l.compileAny(ctx, src, files)
	if err != nil {
		return nil, files.explain(err)
	}
	read, bytes := files.seal()
	return &entry{files: read, value: &schema{src.name, compiled, files.missing()}, bytes: bytes * schemaCost}, nil
}

// compileAny compiles a schema of the version that it says to be of.
func (l *Library) compileAny(ctx context.Context, src *source, files *schemaFiles) (grammar, error) {
	if err := files.rent.take(ctx, nodeCost*int64(len(src.text))); err != nil {
		return nil, err
	}
	reader := newSchemaReader(files)
	root, err := reader.parse(ctx, src)
	if err != nil {
		return nil, err
	}
	if !read.Version11(root) {
		return compileStream(ctx, root, reader)
	}
	doc, err := l.parse(ctx, src, files.rent)
	if err != nil {
		return nil, err
	}
	return l.engine.compile(ctx, doc.tree, files)
}

// schemaBase returns the directory that a schema's includes are relative to.
func (l *Library) schemaBase(name string) string {
	if name != inlineName {
		return filepath.Dir(name)
	}
	if len(l.roots) > 0 {
		return l.roots[0].real
	}
	return string(filepath.Separator)
}
