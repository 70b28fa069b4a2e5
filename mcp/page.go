package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// A cursor is a tag and a position in base64url. The tag is a digest of the
// method, the principal and the position. It binds a cursor to the list and the
// caller without any state in the server, so that every server behind a load
// balancer accepts it. A cursor is not secret; positions are validated as input.
const tagBytes = 8

// tag returns the prefix of a hash that identifies cursors of this list and this
// caller. It protects against mistakes, not against attacks: the list validates
// the position again.
func (c *Call) tag(position string) []byte {
	sum := sha256.Sum256([]byte(c.method.name + "\x00" + c.handler.caller.Principal.ID + "\x00" + position))
	return sum[:tagBytes]
}

// appendCursor appends the member nextCursor.
func (c *Call) appendCursor(dst []byte, position string) []byte {
	raw := append(c.tag(position), position...)
	dst = append(dst, `,"nextCursor":"`...)
	dst = base64.RawURLEncoding.AppendEncode(dst, raw)
	return append(dst, '"')
}

// position decodes the request's cursor; "" stands for the first page.
func (c *Call) position() (string, *jsonrpc.Error) {
	raw := c.params.Optional("cursor")
	if raw == nil {
		return "", nil
	}
	if !params.IsString(raw) {
		return "", InvalidParams("cursor must be a string")
	}
	cursor := jsonrpc.Unquote(raw)
	if cursor == "" {
		return "", nil // as if it were left out
	}
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(data) < tagBytes {
		return "", errBadCursor()
	}
	position := string(data[tagBytes:])
	if string(c.tag(position)) != string(data[:tagBytes]) {
		return "", errBadCursor()
	}
	return position, nil
}

// errBadCursor returns the error -32602 for a cursor of another list, caller or
// server.
func errBadCursor() *jsonrpc.Error {
	return InvalidParams("cursor is not one that this list gave to you; leave it out to start from the beginning")
}

// A pageSize limits the pages of a list.
type pageSize struct {
	items   int // maximum number of items on a page
	portion int // number of items that one call of a source may list
	bytes   int // size above which a page ends regardless of its number of items
}

// Sizes of pages. Some clients give up after 64 pages, so pages are large. A page
// of the maximum size with one more portion of the largest items fits in
// [MaxAnswer].
var (
	largePage = pageSize{items: 500, portion: 100, bytes: 4 << 20}
	heavyPage = pageSize{items: 100, portion: 4, bytes: 2 << 20} // for items that contain lists
)

// A page is a list of items under construction.
type page struct {
	size pageSize
	room int // number of further items
	from int // offset where the list begins
}

// full reports whether the page accepts no more items.
func (p *page) full(dst []byte) bool { return p.room == 0 || len(dst)-p.from >= p.size.bytes }

// limit returns the number of items that the next call of a source may list.
func (p *page) limit() int { return min(p.room, p.size.portion) }

// filled records that n items were added to the page.
func (p *page) filled(n int) { p.room -= min(p.room, n) }

// appendPage appends a page of the items of several sources, one source after the
// other, as the member name of a result, and the cursor of the next page. list
// appends items of a source from a position on, and returns the position to
// continue from, or "" at the end of the source. A cursor contains the number of
// the source and the position in it.
func (c *Call) appendPage(
	dst []byte, name string, sources int, size pageSize, list func(dst []byte, p *page, source int, after string) ([]byte, string, error),
) ([]byte, error) {
	cursor, rpcErr := c.position()
	if rpcErr != nil {
		return dst, rpcErr
	}
	source, position, rpcErr := splitPosition(cursor, sources)
	if rpcErr != nil {
		return dst, rpcErr
	}
	dst = append(append(append(dst, '"'), name...), `":[`...)
	p := &page{size: size, room: size.items, from: len(dst)}
	for source < sources && !p.full(dst) {
		var err error
		if dst, position, err = list(dst, p, source, position); err != nil {
			return dst, err
		}
		if position == "" {
			source++
		}
	}
	dst = append(dst, ']')
	if source < sources {
		dst = c.appendCursor(dst, strconv.Itoa(source)+" "+position)
	}
	return dst, nil
}

// splitPosition parses a position in a list of several sources, "NUMBER
// POSITION": the number of the source, which is less than sources, and the
// position in it.
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
