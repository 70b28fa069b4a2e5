package xmltools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// The scopes of the tools for XML documents.
const (
	scopeDocumentRead  mcp.Scope = "document:read"
	scopeDocumentWrite mcp.Scope = "document:write"
)

// A Group has the tools for XML documents.
type Group struct {
	Library Library
	// Folders hold the documents that are read. They are set before the first call.
	Folders []string

	once  sync.Once
	names *renamer // for callers over the network, made by once
}

type xpathArgs struct {
	Document   string            `json:"document" min:"1" doc:"Path, or XML text" bounds:"enforced"`
	Query      string            `json:"query" min:"1" doc:"Such as //order[@total > 100]" bounds:"enforced"`
	Namespaces map[string]string `json:"namespaces,omitempty" doc:"URIs by prefix"`
	Version    string            `json:"version" enum:"1.0|3.1" default:"3.1"`
	MaxResults int               `json:"max_results" min:"1" max:"10000" default:"100" bounds:"enforced"`
	Offset     int               `json:"offset" min:"0" default:"0" bounds:"enforced"`
}

func (t *Group) xpathQuery(ctx context.Context, call *mcp.Call, args xpathArgs) (queried, error) {
	names := t.renamer(call)
	found, err := t.Library.Query(ctx, document.QueryRequest{
		Document: args.Document, Query: args.Query, Version: args.Version, Namespaces: args.Namespaces,
		MaxResults: args.MaxResults, Offset: args.Offset,
	})
	if err != nil {
		return queried{}, names.err(err)
	}
	return queriedFrom(found, args.Offset), nil
}

type validateArgs struct {
	Document string `json:"document" min:"1" doc:"Path, or XML text" bounds:"enforced"`
	Schema   string `json:"schema" min:"1" doc:"Path, or XML text" bounds:"enforced"`
}

// validateSchema returns an answer for a valid document, and an error for an
// invalid one.
func (t *Group) validateSchema(ctx context.Context, call *mcp.Call, args validateArgs) (validated, error) {
	names := t.renamer(call)
	result, err := t.Library.Validate(ctx, document.ValidateRequest{Document: args.Document, Schema: args.Schema})
	if syntax, ok := errors.AsType[*document.SyntaxError](err); ok {
		err = malformed(syntax)
	}
	if err != nil {
		return validated{}, names.err(err)
	}
	v := validated{Valid: true, Document: nameOf(args.Document), Schema: nameOf(args.Schema), Version: result.Version, Warnings: []string{}}
	for _, warning := range result.Warnings {
		v.Warnings = append(v.Warnings, names.text(warning))
	}
	return v, nil
}

// malformed makes a syntax error a violation, for documents and schemas.
func malformed(e *document.SyntaxError) error {
	return &invalidError{
		about: e.Document + " is not well-formed",
		found: []document.Violation{{File: e.Document, Line: e.Line, Column: e.Column, Message: e.Message}},
	}
}

func (t *Group) cacheStats(ctx context.Context, call *mcp.Call, _ struct{}) (cached, error) {
	stats, err := t.Library.Stats(ctx)
	if err != nil {
		return cached{}, err
	}
	return cachedFrom(t.renamer(call).stats(stats)), nil
}

type preloadArgs struct {
	Paths []string `json:"paths,omitempty" max:"10000" bounds:"enforced"`
	Globs []string `json:"globs,omitempty" max:"1000" doc:"With *, ?, […] and ** for any folders" bounds:"enforced"`
}

var errNothingToLoad = errors.New("give at least one of paths and globs")

// Validate checks what the published schema does not express.
func (a preloadArgs) Validate() error {
	if len(a.Paths)+len(a.Globs) == 0 {
		return errNothingToLoad
	}
	for _, glob := range slices.Concat(a.Paths, a.Globs) {
		if _, err := path.Match(strings.ReplaceAll(glob, "**", "*"), ""); err != nil {
			return fmt.Errorf("%q: %w", glob, err)
		}
	}
	return nil
}

// preloadDocuments returns what became of each document. It fails only if none
// could be loaded.
func (t *Group) preloadDocuments(ctx context.Context, call *mcp.Call, args preloadArgs) (preloaded, error) {
	names := t.renamer(call)
	told := func(done, total int, message string) {
		call.Progress(ctx, float64(done), float64(total), plain.Line(names.text(message)))
	}
	reports, err := t.Library.Preload(ctx, document.PreloadRequest{Paths: slices.Concat(args.Paths, args.Globs)}, told)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && !slices.ContainsFunc(reports, func(r document.PreloadReport) bool { return r.Err == nil }) {
		err = noneLoaded(reports)
	}
	if err != nil {
		return preloaded{}, names.err(err)
	}
	return names.reports(preloadedFrom(reports)), nil
}

// maxToldErrors is the maximum number of errors that are listed if all
// documents failed.
const maxToldErrors = 20

// noneLoaded joins the errors of documents.
func noneLoaded(reports []document.PreloadReport) error {
	var errs []error
	for _, r := range reports[:min(len(reports), maxToldErrors)] {
		errs = append(errs, r.Err)
	}
	return errors.Join(errs...)
}
