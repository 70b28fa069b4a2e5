package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/document/schema/automata"
	"github.com/triptych-mcp/triptych/debugger/document/schema/compile"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
	"github.com/triptych-mcp/triptych/debugger/document/schema/validate"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// A streamGrammar is a schema of version 1.0. Documents are read as events, so that their
// size is not limited.
type streamGrammar struct {
	grammar *validate.Grammar
	files   *schemaFiles // for the schemas that documents refer to
}

// compileStream compiles a schema of version 1.0.
func compileStream(ctx context.Context, root *read.Node, reader *schemaReader) (grammar, error) {
	compiled, problems, err := compile.Compile(ctx, root, reader)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if size, ok := errors.AsType[*automata.SizeError](err); ok {
		return nil, &LimitError{Subject: root.File, What: size.What, Limit: int64(size.Limit), Detail: size.Detail}
	}
	if err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		wrong := &SchemaError{Schema: root.File}
		for _, p := range problems {
			wrong.Problems = append(wrong.Problems, Violation(p))
		}
		return nil, wrong
	}
	return &streamGrammar{validate.NewGrammar(compiled), reader.files}, nil
}

func (g *streamGrammar) edition() string { return "1.0" }

// validate implements grammar.
func (g *streamGrammar) validate(ctx context.Context, l *Library, argument string) (*verdict, error) {
	if isInline(argument) {
		src, err := l.inline(argument)
		if err != nil {
			return nil, err
		}
		return g.judge(ctx, inlineName, event.NewBytes(src.text, l.eventLimits()))
	}
	file, addr, err := l.roots.open(argument)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // errors do not matter, it was only read
	for range attempts {
		found, err := g.file(ctx, l, file, addr.name())
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, changing(addr.name())
}

// file validates a file, unless it changes meanwhile.
func (g *streamGrammar) file(ctx context.Context, l *Library, file *os.File, name string) (*verdict, error) {
	before, err := file.Stat()
	if err != nil {
		return nil, unreadable(name, err)
	}
	p, _, err := l.events(file, name, before.Size(), l.eventLimits())
	if err != nil {
		return nil, err
	}
	found, err := g.judge(ctx, name, p)
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return nil, unreadable(name, path)
	}
	after, failed := file.Stat()
	if failed != nil {
		return nil, unreadable(name, failed)
	}
	if filestamp.Of(before) != filestamp.Of(after) {
		return nil, nil
	}
	return found, err
}

// events returns a parser for a file, and what it reads: the file itself if it is in UTF-8,
// and its whole text otherwise.
func (l *Library) events(file *os.File, name string, size int64, limits event.Limits) (*event.Parser, io.ReaderAt, error) {
	head := make([]byte, kib)
	n, err := file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, unreadable(name, err)
	}
	if encoding, _ := sniff(head[:n]); isUTF8(encoding) {
		limits.Known = size
		return event.NewParser(io.NewSectionReader(file, 0, size), limits), file, nil
	}
	src, err := l.read(file, name)
	if err != nil {
		return nil, nil, err
	}
	return event.NewBytes(src.text, limits), bytes.NewReader(src.text), nil
}

// judge validates the events of a document.
func (g *streamGrammar) judge(ctx context.Context, name string, p *event.Parser) (*verdict, error) {
	found, err := g.grammar.Document(ctx, p, validate.Options{Limit: MaxViolations, Loader: newSchemaReader(g.files), File: name})
	if errors.Is(err, automata.ErrStates) {
		return nil, &LimitError{Subject: name, What: "ways through a content model", Detail: err.Error()}
	}
	if err != nil {
		return nil, eventError(name, err)
	}
	v := &verdict{name: name, more: found.More, warnings: found.Warnings}
	for _, f := range found.Violations {
		v.violations = append(v.violations, Violation{Line: f.Line, Column: f.Column, Path: f.Path, Message: f.Message})
	}
	return v, nil
}

func unreadable(name string, err error) error {
	return fmt.Errorf("read document %s: %w", filepath.Base(name), withoutPath(err))
}

func changing(name string) error {
	return fmt.Errorf("read document %s: it changes while it is being read", filepath.Base(name))
}
