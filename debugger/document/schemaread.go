package document

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/document/schema/compile"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// A schemaReader reads the documents of a schema of version 1.0, each once.
type schemaReader struct {
	files *schemaFiles
	roots map[string]*read.Node
}

func newSchemaReader(files *schemaFiles) *schemaReader {
	return &schemaReader{files, map[string]*read.Node{}}
}

// Load implements [compile.Loader].
func (r *schemaReader) Load(ctx context.Context, file, location string) (*read.Node, error) {
	name := r.files.resolve(file, location)
	if name == xmlNamespaceURL {
		return r.parse(ctx, &source{name: name, text: []byte(xmlNamespace)})
	}
	path, ok := localPath(name)
	if !ok {
		_ = r.files.miss(&r.files.remote, name) // the error is for the other engine
		return nil, nil
	}
	if root := r.roots[path]; root != nil {
		return root, nil
	}
	src, err := r.files.text(path)
	if _, missing := errors.AsType[*NotFoundError](err); missing {
		_ = r.files.miss(&r.files.absent, path)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if root := r.roots[src.name]; root != nil { // by another path
		return root, nil
	}
	if err := r.files.count(src, nodeCost*int64(len(src.text))); err != nil {
		return nil, err
	}
	root, err := r.parse(ctx, src)
	if wrong, ok := errors.AsType[*SyntaxError](err); ok {
		return nil, &compile.Problem{File: wrong.Document, Line: wrong.Line, Column: wrong.Column, Message: "The document is not well-formed: " + wrong.Message}
	}
	r.roots[path] = root
	return root, err
}

// nodeCost is the memory of the tree of a schema document per byte of its text, as
// measured on schemas of few annotations.
const nodeCost = 12

// parse makes the tree of a schema document.
func (r *schemaReader) parse(ctx context.Context, src *source) (*read.Node, error) {
	if root := r.roots[src.name]; root != nil {
		return root, nil
	}
	root, err := read.Document(ctx, src.name, event.NewBytes(src.text, r.files.library.eventLimits()))
	if err != nil {
		return nil, eventError(src.name, err)
	}
	r.roots[src.name] = root
	return root, nil
}

// resolve returns the absolute path or the URI of a location that stands in a file.
func (f *schemaFiles) resolve(file, location string) string {
	base := fileURI(f.base + "/")
	if filepath.IsAbs(file) {
		base = fileURI(file)
	}
	from, err := url.Parse(base)
	if err == nil {
		var to *url.URL
		if to, err = from.Parse(filepath.ToSlash(location)); err == nil {
			return to.String()
		}
	}
	if filepath.IsAbs(location) {
		return location
	}
	return filepath.Join(filepath.Dir(file), location)
}

// eventLimits are the limits of the parser that reads documents as events.
func (l *Library) eventLimits() event.Limits {
	return event.Limits{Depth: l.config.MaxDepth, Attributes: l.config.MaxAttributes}
}

// eventError converts an error of that parser.
func eventError(name string, err error) error {
	if wrong, ok := errors.AsType[*event.SyntaxError](err); ok {
		return &SyntaxError{name, wrong.Line, wrong.Column, wrong.Message}
	}
	if limit, ok := errors.AsType[*event.LimitError](err); ok {
		return &LimitError{Subject: at(name, limit.Line, limit.Column), What: limit.What, Limit: limit.Limit}
	}
	if refused, ok := errors.AsType[*event.RefusedError](err); ok {
		return &RefusedError{name, refused.Line, refused.Column, refused.What}
	}
	return err
}
