package document

import (
	"context"
	"path/filepath"
)

// A ValidateRequest validates a document against a W3C XML Schema.
type ValidateRequest struct {
	Document string // path below the roots, or XML text
	Schema   string // likewise; an inline schema includes files relative to the first root
}

// A Validation holds the warnings of a validation.
type Validation struct {
	// Warnings lists files that the schema includes or imports but that were
	// not read, because they do not exist or would have to be fetched. XML
	// Schema 1.0 permits a validation without them.
	Warnings []string
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
	result := Validation{Warnings: rules.warnings}
	rent := &lease{from: l.memory}
	defer rent.end()
	doc, err := l.subject(ctx, rules, req.Document, rent)
	if err != nil {
		return result, err
	}
	return result, rules.judge(ctx, doc)
}

// subject returns the document to validate: the shared one, or a copy for this
// request if validation may modify it.
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

// judge validates a document and returns its violations as an error.
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

// own parses a document for a single request, which may modify it.
func (l *Library) own(ctx context.Context, path string, rent *lease) (*parsed, error) {
	rent.end() // the memory of the shared tree
	file, addr, err := l.roots.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // errors do not matter, it was only read
	src, err := l.read(file, addr.name())
	if err != nil {
		return nil, err
	}
	if !mayHint(src.text) { // else the schemas that it points to are relative to it
		src.uri = l.roots.hide(src.name)
	}
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
