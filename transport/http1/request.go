package http1

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"net/url"
	"sync"
)

// An arrival is what a request is made of, in one piece of memory.
type arrival struct {
	url    url.URL
	body   bodyReader
	values [12]string // of fields; more than that are elsewhere
}

// request makes a head and a body a request of net/http.
func (h *head) request(ctx context.Context, body []byte, addr string, state *tls.ConnectionState) *http.Request {
	a := &arrival{url: url.URL{Path: h.path}, body: bodyReader{rest: body}}
	r := http.Request{
		Method: http.MethodPost, URL: &a.url, RequestURI: h.path,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h.header(a.values[:0]), Host: h.host, ContentLength: int64(h.length), RemoteAddr: addr, TLS: state,
		Body: http.NoBody,
	}
	if len(body) > 0 {
		r.Body = &a.body
	}
	return r.WithContext(ctx)
}

// header are the fields; their values go into one array.
func (h *head) header(values []string) http.Header {
	header := make(http.Header, len(h.fields))
	for _, f := range h.fields {
		values = append(values, f.value)
		if before := header[f.name]; before != nil {
			header[f.name] = append(before, f.value)
		} else {
			header[f.name] = values[len(values)-1:][:1:1]
		}
	}
	return header
}

// A bodyReader reads a body that is in the connection's buffer. After the
// handler has returned there is nothing to read any more.
type bodyReader struct {
	mu     sync.Mutex
	rest   []byte
	closed bool
}

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

func (b *bodyReader) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest, b.closed = nil, true
	return nil
}
