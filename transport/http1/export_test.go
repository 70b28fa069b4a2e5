package http1

import (
	"context"
	"net/http"
)

// Parse reads the head at the beginning of a text and makes it and what is
// behind it a request. It returns nil when the request is not taken.
func Parse(text []byte, paths map[string]bool) (r *http.Request, size int) {
	return new(Parser).Parse(text, paths)
}

// A Parser parses the heads of a connection.
type Parser struct{ head head }

// Parse is Parse of the next one.
func (p *Parser) Parse(text []byte, paths map[string]bool) (r *http.Request, size int) {
	h := &p.head
	end := indexHead(text)
	if end < 0 || end > maxHead || !h.parse(text[:end+2], paths) {
		return nil, 0
	}
	size = end + len(endOfHead) + h.length
	if size > len(text) {
		return nil, 0
	}
	return newRequest(context.Background(), h, text[size-h.length:size], "", nil), size
}
