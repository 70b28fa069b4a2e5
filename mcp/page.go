package mcp

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// A cursor is base64url of a tag and a position. The tag is a digest over
// method, principal and position: it binds a cursor to the list and the caller
// it was made for without any memory of the server, so every server behind a
// load balancer takes it. It is no secret; positions are checked as input.
const tagBytes = 8

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

func errBadCursor() *jsonrpc.Error {
	return InvalidParams("cursor is not one that this list gave to you; leave it out to start from the beginning")
}
