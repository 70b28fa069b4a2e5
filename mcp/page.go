package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A cursor is base64url of a tag and a position. The tag is a digest over
// method, principal and position: it binds a cursor to the list and the caller
// it was made for without any memory of the server, so every server behind a
// load balancer takes it. It is no secret; positions are checked as input.
const tagBytes = 8

// tag returns the beginning of a hash by which a cursor is known to come from this list
// and this caller. It protects from mistakes, not from attacks: the position is checked
// again by the list.
func (c *Call) tag(position string) []byte {
	sum := sha256.Sum256([]byte(c.method.name + "\x00" + c.handler.caller.Principal.ID + "\x00" + position))
	return sum[:tagBytes]
}

// appendCursor adds nextCursor.
func (c *Call) appendCursor(dst []byte, position string) []byte {
	raw := append(c.tag(position), position...)
	dst = append(dst, `,"nextCursor":"`...)
	dst = base64.RawURLEncoding.AppendEncode(dst, raw)
	return append(dst, '"')
}

// position decodes the request's cursor; "" is the first page.
func (c *Call) position() (string, *jsonrpc.Error) {
	raw := c.params.other("cursor")
	if raw == nil || isNull(raw) {
		return "", nil
	}
	if !isString(raw) {
		return "", InvalidParams("cursor must be a string")
	}
	data, err := base64.RawURLEncoding.DecodeString(jsonrpc.Unquote(raw))
	if err != nil || len(data) < tagBytes {
		return "", errBadCursor()
	}
	position := string(data[tagBytes:])
	if string(c.tag(position)) != string(data[:tagBytes]) {
		return "", errBadCursor()
	}
	return position, nil
}

// errBadCursor is the error -32602 for a cursor of another list, caller or server.
func errBadCursor() *jsonrpc.Error {
	return InvalidParams("cursor is not one that this list gave to you; leave it out to start from the beginning")
}

// A pageSize bounds the pages of a list.
type pageSize struct {
	items   int // on one page
	portion int // that one call of a source lists
	bytes   int // at which a page ends whatever the number of its items
}

// The sizes of pages. Some clients give up after 64 pages, so pages are large. A page
// of at most bytes and one more portion of the largest items fit into [MaxAnswer].
var (
	largePage = pageSize{items: 500, portion: 100, bytes: 4 << 20}
	heavyPage = pageSize{items: 100, portion: 4, bytes: 2 << 20} // of items with lists of their own
)

// A page is a list of items in the making.
type page struct {
	size pageSize
	room int // for more items
	from int // where the list begins
}

// full reports whether the page takes no more items.
func (p *page) full(dst []byte) bool { return p.room == 0 || len(dst)-p.from >= p.size.bytes }

// limit returns how many items the next call of a source may list.
func (p *page) limit() int { return min(p.room, p.size.portion) }

// filled notes that n more items are on the page.
func (p *page) filled(n int) { p.room -= min(p.room, n) }

// appendPage appends a page of the items that some sources have, one source after the
// other, as the member name of a result, and the cursor of the next page. list appends
// items of a source from a position on and returns where it goes on, "" at the end of
// the source. The position in a cursor is the number of the source and its own.
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

// splitPosition parses a position in a list of several sources, "NUMBER POSITION": the
// number of the source, below sources, and the position in it.
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
