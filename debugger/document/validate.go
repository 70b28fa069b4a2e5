package document

import (
	"context"
	"path/filepath"
)

// A ValidateRequest asks whether a document matches a W3C XML Schema.
type ValidateRequest struct {
	Document string // a path below the roots, or XML
	Schema   string // the same; what an inline one includes is looked for in the first root
}

// A Validation tells of a validation what is not right or wrong.
type Validation struct {
	// Warnings name what the schema includes or imports and was not read: because
	// it is not there, or because nothing is fetched from elsewhere. XML Schema
	// 1.0 goes on without it.
	Warnings []string
}

// Validate returns no error when the document matches the schema, and a
// [ViolationsError] when it does not.
func (l *Library) Validate(ctx context.Context, req ValidateRequest) (Validation, error) {
	ctx, cancel := context.WithTimeout(ctx, l.config.Patience())
	defer cancel()
	return work(ctx, l.crew, "validation", func(ctx context.Context) (Validation, error) {
		return l.validate(ctx, req)
	})
}

// validate does the work of Validate on a worker.
func (l *Library) validate(ctx context.Context, req ValidateRequest) (Validation, error) {
	rules, err := l.schema(ctx, req.Schema)
	if err != nil {
		return Validation{}, err
	}
	result := Validation{Warnings: rules.warnings}
	rent := &lease{from: l.memory}
	defer rent.end()
	doc, err := l.subject(ctx, rules, req.Document, rent)
	if err != nil {
		return result, err
	}
	return result, rules.judge(ctx, doc)
}

// subject finds the document to validate: the one that all share, or one for this
// request alone if validation may change it.
func (l *Library) subject(ctx context.Context, rules *schema, argument string, rent *lease) (*parsed, error) {
	if isInline(argument) {
		return l.document(ctx, argument, rent)
	}
	if rules.grammar.alters(nil) {
		return l.own(ctx, argument, rent)
	}
	doc, err := l.document(ctx, argument, rent)
	if err == nil && rules.grammar.alters(doc.tree) {
		return l.own(ctx, argument, rent)
	}
	return doc, err
}

// judge collects the violations of a document.
func (s *schema) judge(ctx context.Context, doc *parsed) error {
	found := &ViolationsError{Document: doc.name, Schema: s.name}
	err := s.grammar.validate(ctx, doc.tree, func(v Violation) {
		if len(found.Violations) == MaxViolations {
			found.More++
			return
		}
		found.Violations = append(found.Violations, v)
	})
	if err == nil && len(found.Violations) > 0 {
		return found
	}
	return err
}

// own parses a document for one request, which may then change it.
func (l *Library) own(ctx context.Context, path string, rent *lease) (*parsed, error) {
	rent.end() // what the shared tree took
	file, addr, err := l.roots.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	src, err := l.read(file, addr.name())
	if err != nil {
		return nil, err
	}
	return l.parse(ctx, src, rent)
}

// A schema is a compiled schema.
type schema struct {
	name     string
	grammar  grammar
	warnings []string
}

// schema finds the schema that an argument means, compiled before or now.
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

// schemaCost is the memory of a compiled schema for each byte of its text. Measured
// on large schemas; how much it is depends on what they declare.
const schemaCost = 48

// compile makes a schema of its text and of what that includes.
func (l *Library) compile(ctx context.Context, src *source) (*entry, error) {
	rent := &lease{from: l.memory}
	defer rent.end()
	doc, err := l.parse(ctx, src, rent)
	if err != nil {
		return nil, err
	}
	files := &schemaFiles{
		library: l, base: l.schemaBase(src.name),
		rent: rent, total: int64(len(src.text)), values: mayDefault(src.text),
	}
	compiled, err := l.engine.compile(ctx, doc.tree, files)
	if err != nil {
		return nil, files.explain(err)
	}
	read, bytes := files.seal()
	return &entry{files: read, value: &schema{src.name, compiled, files.missing()}, bytes: bytes * schemaCost}, nil
}

// schemaBase is the directory that a schema's includes are relative to.
func (l *Library) schemaBase(name string) string {
	if name != inlineName {
		return filepath.Dir(name)
	}
	if len(l.roots) > 0 {
		return l.roots[0].real
	}
	return string(filepath.Separator)
}
