package console

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A loopback passes requests to a handler in this process, as if they came from the
// client of another request.
type loopback struct {
	handler http.Handler
	client  *http.Request
}

// RoundTrip implements [http.RoundTripper].
func (l *loopback) RoundTrip(r *http.Request) (*http.Response, error) {
	inner := r.Clone(r.Context())
	inner.RemoteAddr, inner.TLS, inner.Host = l.client.RemoteAddr, l.client.TLS, l.client.Host
	inner.RequestURI = r.URL.RequestURI()
	inner.Header["X-Forwarded-For"] = l.client.Header["X-Forwarded-For"]
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	defer func() { _ = inner.Body.Close() }() // the handler has read what it wants
	answer := &answer{header: http.Header{}}
	l.handler.ServeHTTP(answer, inner)
	answer.WriteHeader(http.StatusOK) // unless there is a status
	answer.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	return &http.Response{
		Status: strconv.Itoa(answer.status) + " " + http.StatusText(answer.status), StatusCode: answer.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: answer.header, Body: io.NopCloser(&answer.body), ContentLength: int64(answer.body.Len()), Request: r,
	}, nil
}

// An answer is a response in memory.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter].
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(data []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(data)
}

// Flush implements [http.Flusher]: the answer is read when it is complete.
func (a *answer) Flush() {}
