package mcp

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// pageSize is the number of resources on one page. Some clients give up after 64
// pages, so pages are large.
const pageSize = 500

// portionSize is the number of resources that one call of a source lists.
// pageBytes is the size at which a page ends whatever their number.
const (
	portionSize = 100
	pageBytes   = 4 << 20
)

// A page is a list of resources in the making.
type page struct {
	room int // for more items
	from int // where the list begins
}

func (p *page) full(dst []byte) bool { return p.room == 0 || len(dst)-p.from >= pageBytes }

func (p *page) append(dst []byte, rev *Revision, items []Resource) []byte {
	for i := range items {
		items[i].Description = shortened(items[i].Description)
		dst = rev.appendResource(appendComma(dst, p.from), &items[i], nil)
	}
	p.room -= min(p.room, len(items))
	return dst
}

// maxListed is the number of bytes of a description that a list shows; reading the
// resource shows all of it.
const maxListed = 4096

func shortened(text string) string {
	if len(text) <= maxListed {
		return text
	}
	return strings.ToValidUTF8(text[:maxListed], "") + "…"
}

// serveResourcesList lists the sources one after the other. A position is the
// number of the source and the source's own position.
func serveResourcesList(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	after, rpcErr := c.position()
	if rpcErr != nil {
		return dst, rpcErr
	}
	source, position, rpcErr := splitPosition(after, len(s.sources))
	if rpcErr != nil {
		return dst, rpcErr
	}
	dst = append(dst, `"resources":[`...)
	page := page{room: pageSize, from: len(dst)}
	for source < len(s.sources) && !page.full(dst) {
		src := s.sources[source]
		if !c.handler.caller.Principal.Allows(src.Scope) || src.List == nil {
			source, position = source+1, ""
			continue
		}
		items, next, err := src.List(ctx, c, position, min(page.room, portionSize))
		if err != nil {
			return dst, src.table.wire(err)
		}
		dst = page.append(dst, c.rev, items)
		if position = next; next == "" {
			source++
		}
	}
	dst = append(dst, ']')
	if source < len(s.sources) {
		dst = c.appendCursor(dst, strconv.Itoa(source)+" "+position)
	}
	return dst, nil
}

func splitPosition(after string, sources int) (int, string, *jsonrpc.Error) {
	if after == "" {
		return 0, "", nil
	}
	number, position, ok := strings.Cut(after, " ")
	source, err := strconv.Atoi(number)
	if !ok || err != nil || source < 0 || source >= sources {
		return 0, "", errBadCursor()
	}
	return source, position, nil
}

func serveTemplatesList(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	if _, err := c.position(); err != nil {
		return dst, err
	}
	dst = append(dst, `"resourceTemplates":[`...)
	first := true
	for _, src := range s.sources {
		if !c.handler.caller.Principal.Allows(src.Scope) {
			continue
		}
		for i := range src.Templates {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = c.rev.appendTemplate(dst, &src.Templates[i])
		}
	}
	return append(dst, ']'), nil
}

// source returns the source that serves a URI, nil when there is none.
func (s *Server) source(uri string) *boundSource {
	scheme, _, ok := strings.Cut(uri, "://")
	if !ok {
		return nil
	}
	return s.schemes[scheme]
}

func serveResourcesRead(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	src, uri, err := s.sourceFor(c)
	if err != nil {
		return dst, err
	}
	contents, err := src.Read(ctx, c, uri)
	if err != nil {
		return dst, resourceError(src.table.wire(err))
	}
	from := len(dst)
	dst = append(dst, `"contents":[`...)
	for i := range contents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendContents(dst, &contents[i])
	}
	if size := len(dst) - from; size > MaxAnswer {
		return dst, s.tooLargeToRead(ctx, c, contents, size)
	}
	return append(dst, ']'), nil
}

// maxURI is the maximum length of a URI in bytes.
const maxURI = 4096

// sourceFor checks the uri of a request and the right to read it.
func (s *Server) sourceFor(c *Call) (*boundSource, string, error) {
	uri, rpcErr := text("uri", c.params.other("uri"))
	if rpcErr != nil {
		return nil, "", rpcErr
	}
	if len(uri) > maxURI {
		return nil, "", InvalidParams("a uri may have %d bytes at most", maxURI)
	}
	src := s.source(uri)
	if src == nil {
		return nil, "", &ResourceNotFoundError{
			URI: uri, Baseline: CodeResourceNotFound, Message: "Resource not found: " + uri,
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

func serveSubscribe(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	_, uri, err := s.sourceFor(c)
	if err != nil {
		return dst, err
	}
	if session := c.handler.caller.Session; session != nil {
		return dst, session.subscribe(&s.budget, c.handler.caller.Principal.ID, uri)
	}
	return dst, nil
}

func serveUnsubscribe(_ context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	uri, rpcErr := text("uri", c.params.other("uri"))
	if rpcErr != nil {
		return dst, rpcErr
	}
	if src := s.source(uri); src != nil && !c.handler.caller.Principal.Allows(src.Scope) {
		return dst, permissionDenied(src.Scope)
	}
	if session := c.handler.caller.Session; session != nil {
		session.unsubscribe(&s.budget, c.handler.caller.Principal.ID, uri)
	}
	return dst, nil
}
