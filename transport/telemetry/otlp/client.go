package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A client posts messages to one target. It may be used by several goroutines.
type client struct {
	to   Target
	http *http.Client
}

// newClient returns a client with connections of its own. It follows no redirects: they would
// take the headers, which may have a secret, to another address.
func newClient(to Target) *client {
	transport := http.DefaultTransport.(*http.Transport).Clone() // it is always one
	transport.TLSClientConfig = to.TLS
	return &client{to: to, http: &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// close closes connections that are idle. The client can be used again.
func (c *client) close() { c.http.CloseIdleConnections() }

// The pauses between attempts, unless the receiver names a longer one. Each is twice the one
// before.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 5 * time.Second
)

// maxAnswer limits the bytes that are read of an answer.
const maxAnswer = 1 << 20

// post sends a message until the receiver takes it, refuses it for good, or the time-out of
// the target has passed (OTLP/HTTP, failures). It returns the body of the answer. With an
// error the receiver may have the message all the same.
func (c *client) post(ctx context.Context, message []byte) (answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.to.Timeout)
	defer cancel()
	if c.to.Gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(message) // a buffer takes all
		_ = z.Close()
		message = packed.Bytes()
	}
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		answer, wait, err := c.try(ctx, message)
		if err == nil || wait < 0 {
			return answer, err
		}
		select {
		case <-time.After(max(wait, pause)):
		case <-ctx.Done():
			return nil, fmt.Errorf("OTLP receiver: %w", err)
		}
	}
}

// try sends a message once. The error is final if wait is negative; otherwise wait is the
// pause that the receiver asks for, or 0. The specification names four statuses upon which a
// client may try again; all others are final. Errors have the URL without its password.
func (c *client) try(ctx context.Context, message []byte) (answer []byte, wait time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.to.URL, bytes.NewReader(message))
	if err != nil {
		return nil, -1, err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if c.to.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	for name, value := range c.to.Headers {
		req.Header.Set(name, value)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = resp.Body.Close() }()                     // it was only read
	answer, _ = io.ReadAll(io.LimitReader(resp.Body, maxAnswer)) // all of it, so that the connection can be used again
	switch resp.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return answer, 0, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After")) // a date counts as none
		return nil, time.Duration(max(seconds, 0)) * time.Second, fmt.Errorf("%s answers %s", req.URL.Redacted(), resp.Status)
	default:
		return nil, -1, fmt.Errorf("%s answers %s", req.URL.Redacted(), resp.Status)
	}
}
