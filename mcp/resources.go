package mcp

import (
	"context"
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// maxListed is the number of bytes of a description that a list shows; reading the
// resource shows all of it.
const maxListed = 4096

// shortened cuts a text that clients show in lists to maxListed bytes, at the boundary
// of a character.
func shortened(text string) string {
	if len(text) <= maxListed {
		return text
	}
	return strings.ToValidUTF8(text[:maxListed], "") + "…"
}

// serveResourcesList answers resources/list (server/resources) with the resources of
// one source after the other. A page may end inside a source: its cursor names the
// source and the position after which the source goes on.
func serveResourcesList(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	return c.appendPage(dst, "resources", len(s.rows.sources), largePage, func(dst []byte, p *page, i int, after string) ([]byte, string, error) {
		src := s.rows.sources[i]
		if !c.lists(src) || src.List == nil {
			return dst, "", nil
		}
		items, next, err := src.List(ctx, c, after, p.limit())
		if err != nil {
			return dst, "", src.table.wire(err)
		}
		return p.resources(dst, c.rev, items), next, nil
	})
}

// lists reports whether lists show the caller the resources and templates of the
// source. Reading does not depend on it: a baseline client that knows the URI of an
// extension's resource may read it.
func (c *Call) lists(src *boundSource) bool {
	return c.handler.caller.Principal.Allows(src.Scope) && (!src.Extension || c.rev != baseline)
}

// resources appends resources to a page, with their descriptions shortened. It changes
// items.
func (p *page) resources(dst []byte, rev revision, items []Resource) []byte {
	for i := range items {
		items[i].Description = shortened(items[i].Description)
		dst = rev.appendResource(appendComma(dst, p.from), &items[i], nil)
	}
	p.filled(len(items))
	return dst
}

// serveTemplatesList answers resources/templates/list, which is one page: templates are
// part of the program.
func serveTemplatesList(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	if _, err := c.position(); err != nil {
		return dst, err
	}
	dst = append(dst, `"resourceTemplates":[`...)
	first := true
	for _, src := range s.rows.sources {
		if !c.lists(src) {
			continue
		}
		for i := range src.Templates {
			if src.Templates[i].Extension && c.rev == baseline {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = c.rev.appendTemplate(dst, &src.Templates[i])
		}
	}
	return append(dst, ']'), nil
}

// source returns the source that serves a URI, nil when there is none. Schemes are
// compared as they are written. A source of one authority of a scheme takes precedence
// over the source of the whole scheme.
func (r *rows) source(uri string) *boundSource {
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok {
		return nil
	}
	authority, _, _ := strings.Cut(rest, "/")
	if src := r.schemes[uri[:len(scheme)+len("://")+len(authority)]]; src != nil {
		return src
	}
	return r.schemes[scheme]
}

// serveResourcesRead answers resources/read with the contents that the source of the
// URI's scheme returns. Contents that are too large to send are an error that says
// where they can be read in parts, if the server stores them.
func serveResourcesRead(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	src, uri, err := s.rows.sourceFor(c)
	if err != nil {
		return dst, err
	}
	contents, err := src.Read(ctx, c, uri)
	if err != nil {
		return dst, resourceError(src.table.wire(err))
	}
	contents = src.table.maskedAll(contents)
	from := len(dst)
	dst = append(dst, `"contents":[`...)
	for i := range contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendContents(dst, &contents[i])
	}
	if size := len(dst) - from; size > MaxAnswer {
		return dst, s.oversize.tooLargeToRead(ctx, c, contents, size)
	}
	return append(dst, ']'), nil
}

// serveDirectoryRead lists the direct children of a folder (skills extension). Unlike
// resources/read it has one code for a URI that is no folder, in all revisions.
func serveDirectoryRead(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	src, uri, err := s.rows.sourceFor(c)
	if err == nil && src.Directory == nil {
		err = &ResourceNotFoundError{}
	}
	if isMissing(err) {
		return dst, notDirectory(uri)
	}
	if err != nil {
		return dst, err
	}
	return c.appendPage(dst, "resources", 1, largePage, func(dst []byte, p *page, _ int, after string) ([]byte, string, error) {
		items, next, err := src.Directory(ctx, c, uri, after, p.limit())
		if isMissing(err) {
			return dst, "", notDirectory(uri)
		}
		if err != nil {
			return dst, "", resourceError(src.table.wire(err))
		}
		return p.resources(dst, c.rev, items), next, nil
	})
}

// notDirectory is the error -32602 for a resource that has no children.
func notDirectory(uri string) error {
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s is not a directory resource", params.Quoted(uri))
}

// isMissing reports whether an error means that there is no such resource.
func isMissing(err error) bool {
	_, missing := errors.AsType[*ResourceNotFoundError](err)
	return missing
}

// maxURI is the maximum length of a URI in bytes.
const maxURI = 4096

// sourceFor checks the uri of a request and the right to read it, in this order: the
// form of the URI, the scheme, the scope. It does not ask the source whether there is
// such a resource. With an error for an unknown scheme it still returns the URI.
func (r *rows) sourceFor(c *Call) (*boundSource, string, error) {
	uri, rpcErr := params.Text("uri", c.params.Other("uri"))
	if rpcErr != nil {
		return nil, "", rpcErr
	}
	if len(uri) > maxURI {
		return nil, "", InvalidParams("a uri may have %d bytes at most", maxURI)
	}
	src := r.source(uri)
	if src == nil {
		return nil, uri, &ResourceNotFoundError{
			URI: uri, Message: "Resource not found: " + uri,
		}
	}
	if !c.handler.caller.Principal.Allows(src.Scope) {
		return nil, "", permissionDenied(src.Scope)
	}
	return src, uri, nil
}

// resourceError gives an error of a family the form that reading has: there is
// no isError here, so a tool error is an internal one with its text.
func resourceError(err error) error {
	if tool, ok := errors.AsType[*toolError](err); ok {
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: tool.Error()}
	}
	return err
}

// serveSubscribe answers resources/subscribe. The URI need not exist yet; its source
// must, and the caller must be allowed to read it. Without a session there is nowhere
// to send to, and nothing is noted.
func serveSubscribe(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	_, uri, err := s.rows.sourceFor(c)
	if err != nil {
		return dst, err
	}
	if session := c.handler.caller.Session; session != nil {
		charge := func(bytes int) error { return s.budget.take(c.handler.caller.Principal.ID, bytes) }
		return dst, session.State.Subscribe(uri, entryBytes+len(uri), charge)
	}
	return dst, nil
}

// serveUnsubscribe answers resources/unsubscribe, with success also if there was no
// subscription.
func serveUnsubscribe(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	uri, rpcErr := params.Text("uri", c.params.Other("uri"))
	if rpcErr != nil {
		return dst, rpcErr
	}
	if src := s.rows.source(uri); src != nil && !c.handler.caller.Principal.Allows(src.Scope) {
		return dst, permissionDenied(src.Scope)
	}
	cost := entryBytes + len(uri)
	if session := c.handler.caller.Session; session != nil && session.State.Unsubscribe(uri, cost) {
		s.budget.give(c.handler.caller.Principal.ID, cost)
	}
	return dst, nil
}
