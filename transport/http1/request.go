package http1

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"sync"
)

// newRequest returns the [http.Request] of a head and its body, as net/http would: the
// header has no Host. Its context holds no reference to the connection's buffer, which may
// outlive the request with it.
func newRequest(ctx context.Context, h *head, body []byte, addr string, state *tls.ConnectionState) *http.Request {
	r := http.Request{
		Method: http.MethodPost, URL: h.url, RequestURI: h.path,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h.header, Host: h.host, ContentLength: int64(h.length), RemoteAddr: addr, TLS: state,
		Body: http.NoBody,
	}
	if len(body) > 0 {
		r.Body = &bodyReader{rest: body}
	}
	return r.WithContext(ctx)
}

// A bodyReader reads a body from the connection's buffer. It is closed when the handler
// has returned; the lock keeps a goroutine that the handler left behind from reading the
// next request.
type bodyReader struct {
	mu     sync.Mutex
	rest   []byte
	closed bool
}

// Len returns the number of bytes that are left. All of them are in memory, so a caller
// can allocate that much at once.
func (b *bodyReader) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.rest)
}

// Read implements [io.Reader]. The body is in memory, so it never blocks.
func (b *bodyReader) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	if len(b.rest) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// Close implements [io.Closer]. Reading fails afterwards, as with net/http.
func (b *bodyReader) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest, b.closed = nil, true
	return nil
}
