package peer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/transport/requestid"
)

// A Server is an entry of the [Directory].
type Server struct {
	// Tag names the process, which no other one has had or will have: letters and
	// digits.
	Tag string `json:"tag"`
	// Name is the name of the server for people.
	Name string `json:"name"`
	// URL is the address for other servers, without a path; "" if it has none.
	URL string `json:"url,omitempty"`
	// Certificate is the SHA-256 of its TLS certificate in hexadecimal digits, ""
	// for plain HTTP.
	Certificate string `json:"certificate,omitempty"`
	// TLSName is the name for which the server has that certificate, "" for the host of URL.
	TLSName string `json:"tls_name,omitempty"`
}

// ErrUnknown is the error of a [Directory] for a server that has ended.
var ErrUnknown = errors.New("the server is not registered")

// A Directory has the servers that run. Its methods must bound their time.
type Directory interface {
	// Lookup returns a server and the time since it has shown last that it runs, or
	// [ErrUnknown].
	Lookup(ctx context.Context, tag string) (Server, time.Duration, error)
	// Remove removes a server that has ended without doing so itself.
	Remove(ctx context.Context, tag string)
}

// A Config holds the dependencies of a [Client].
type Config struct {
	Key     *Key
	Self    string // tag of this server
	Servers Directory
	// AnswerTime limits the time until another server begins its answer, or sends the
	// next part of it; 75 s.
	AnswerTime time.Duration
	// WriteTime limits one write to the client; 30 s.
	WriteTime time.Duration
}

// A Client passes requests on.
type Client struct {
	cfg Config

	mu    sync.Mutex
	conns map[string]*http.Transport // by tag
}

// NewClient returns a client. It starts nothing. Close it.
func NewClient(cfg Config) *Client {
	cfg.AnswerTime = cmp.Or(cfg.AnswerTime, 75*time.Second)
	cfg.WriteTime = cmp.Or(cfg.WriteTime, 30*time.Second)
	return &Client{cfg: cfg, conns: map[string]*http.Transport{}}
}

// Tag returns the tag of this server.
func (c *Client) Tag() string { return c.cfg.Self }

// Close closes idle connections.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.conns {
		t.CloseIdleConnections()
	}
	clear(c.conns)
	return nil
}

// The bounds of connections between servers.
const (
	dialTime = 2 * time.Second
	idleTime = time.Minute      // shorter than that of servers
	silence  = 15 * time.Second // after it, a server that does not show that it runs has ended or hangs
	lookup   = 5 * time.Second  // between two look-ups while a request is passed on
	maxIdle  = 32               // idle connections to one server
)

// An EndedError reports that the server which had what a request needs has ended.
type EndedError struct{ Name string }

// Error names the server.
func (e *EndedError) Error() string {
	if e.Name == "" {
		return "the server that had what the request needs has ended"
	}
	return fmt.Sprintf("the server %q, which had what the request needs, has ended", e.Name)
}

// An AwayError reports that another server cannot be reached, or does not answer.
type AwayError struct {
	Name  string
	Cause error
}

// Error names the server.
func (e *AwayError) Error() string {
	if e.Name == "" {
		return "which server has what the request needs cannot be found out: the store does not answer"
	}
	return fmt.Sprintf("the server %q, which has what the request needs, cannot be reached or does not answer", e.Name)
}

// Unwrap returns the error of the connection, which is not for clients.
func (e *AwayError) Unwrap() error { return e.Cause }

// UnknownOwner is the tag of the server that a request needs while it cannot be found out. It
// is no server's.
const UnknownOwner = "?"

// errOwner is the cause of an [AwayError] of [UnknownOwner].
var errOwner = errors.New("the store does not answer")

// errSilent is the cause of an [AwayError] of a server that does not show that it runs.
var errSilent = errors.New("it does not show that it runs")

// errSlow is the cause of an [AwayError] of a server that sends nothing for too long.
var errSlow = errors.New("it sends nothing")

// Pass passes a request of the client at from, whose body has been read, on to the server
// with the tag, and its answer to w. It fails at once for [UnknownOwner]. begun reports whether the answer has begun; the
// error is an [EndedError] or an [AwayError], or the one of a client that disconnected.
func (c *Client) Pass(w http.ResponseWriter, r *http.Request, body []byte, from netip.AddrPort, tag string) (begun bool, err error) {
	if tag == UnknownOwner {
		return false, &AwayError{Cause: errOwner}
	}
	server, _, err := c.cfg.Servers.Lookup(r.Context(), tag)
	switch {
	case errors.Is(err, ErrUnknown):
		return false, &EndedError{server.Name}
	case err != nil:
		return false, &AwayError{tag, err}
	case server.URL == "":
		return false, &AwayError{server.Name, errors.New("it has no URL for other servers (--peer-url)")}
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	watching := c.watch(ctx, cancel, tag)
	defer watching.Wait()
	defer cancel(nil)
	slow := time.AfterFunc(c.cfg.AnswerTime, func() { cancel(errSlow) })
	defer slow.Stop()
	resp, err := c.send(ctx, r, body, from, server)
	if err != nil {
		return false, c.why(ctx, r.Context(), server, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode == http.StatusMisdirectedRequest && resp.Header.Get(Header) != "" {
		c.cfg.Servers.Remove(r.Context(), tag)
		return false, &EndedError{server.Name}
	}
	if err := c.copyAnswer(w, resp, func() { slow.Reset(c.cfg.AnswerTime) }); err != nil {
		return true, c.why(ctx, r.Context(), server, err)
	}
	return true, nil
}

// watch cancels a request when its server does not show that it runs. A directory that
// cannot be read says nothing about the server.
func (c *Client) watch(ctx context.Context, cancel context.CancelCauseFunc, tag string) *sync.WaitGroup {
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(lookup)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if _, age, err := c.cfg.Servers.Lookup(ctx, tag); err == nil && age > silence {
				cancel(errSilent)
			}
		}
	})
	return &watching
}

// why returns the error of a request that failed: a server that refuses connections and
// has not shown for a while that it runs has ended.
func (c *Client) why(ctx, client context.Context, server Server, err error) error {
	if client.Err() != nil {
		return client.Err() // the client disconnected
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	_, age, lookUp := c.cfg.Servers.Lookup(client, server.Tag)
	_, dialing := errors.AsType[*net.OpError](err)
	if lookUp == nil && age > silence && dialing {
		c.cfg.Servers.Remove(client, server.Tag)
		lookUp = ErrUnknown
	}
	if errors.Is(lookUp, ErrUnknown) {
		return &EndedError{server.Name}
	}
	return &AwayError{server.Name, err}
}

// hop are the headers that belong to one connection, or that the first server has dealt
// with.
var hop = []string{
	"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Accept-Encoding", "Content-Length", "Origin", "X-Forwarded-For", "Forwarded", Header,
}

// send sends the request to a server.
func (c *Client) send(ctx context.Context, r *http.Request, body []byte, from netip.AddrPort, server Server) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, strings.TrimSuffix(server.URL, "/")+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header, req.Host = r.Header.Clone(), r.Host // access tokens are good for a host
	for _, name := range hop {
		delete(req.Header, name)
	}
	if id := requestid.FromContext(ctx); id != "" {
		req.Header.Set(requestid.Header, id)
	}
	c.cfg.Key.sign(req, server.Tag, from, body, time.Now())
	return c.transport(server.Tag, server.TLSName).RoundTrip(req)
}

// transport returns the connections to a server, whose certificate has a name.
func (c *Client) transport(tag, name string) *http.Transport {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.conns[tag]
	if t == nil {
		t = &http.Transport{
			DialContext:         (&net.Dialer{Timeout: dialTime}).DialContext,
			TLSHandshakeTimeout: dialTime,
			TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, ServerName: name, InsecureSkipVerify: true, VerifyConnection: c.verify(tag)}, //nolint:gosec // verify compares the certificate with the registered one
			MaxIdleConnsPerHost: maxIdle,
			IdleConnTimeout:     idleTime,
			DisableCompression:  true,
		}
		c.conns[tag] = t
		c.forgetLocked()
	}
	return t
}

// maxServers limits the servers whose connections are kept: a server that is replaced
// has another tag.
const maxServers = 100

// forgetLocked closes the connections to any servers beyond maxServers.
func (c *Client) forgetLocked() {
	for tag, t := range c.conns {
		if len(c.conns) <= maxServers {
			return
		}
		t.CloseIdleConnections()
		delete(c.conns, tag)
	}
}

// verify returns a function that compares the certificate of a server with the one that
// it has registered.
func (c *Client) verify(tag string) func(tls.ConnectionState) error {
	return func(state tls.ConnectionState) error {
		ctx, stop := context.WithTimeout(context.Background(), dialTime)
		defer stop()
		server, _, err := c.cfg.Servers.Lookup(ctx, tag)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(state.PeerCertificates[0].Raw)
		if got := hex.EncodeToString(sum[:]); got != server.Certificate {
			return fmt.Errorf("the certificate %s is not the registered one", got)
		}
		return nil
	}
}

// copyAnswer copies the answer of a server to the client, each part as it comes.
// progress is called for each part.
func (c *Client) copyAnswer(w http.ResponseWriter, resp *http.Response, progress func()) error {
	header := w.Header()
	for name, values := range resp.Header {
		header[name] = values
	}
	for _, name := range hop {
		if name != "Content-Length" {
			delete(header, name)
		}
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a recorder of tests has no deadlines
	w.WriteHeader(resp.StatusCode)
	part := make([]byte, 16<<10)
	for {
		n, err := resp.Body.Read(part)
		if n > 0 {
			progress()
			_ = control.SetWriteDeadline(time.Now().Add(c.cfg.WriteTime)) // likewise
			if _, err := w.Write(part[:n]); err != nil {
				return err
			}
			if err := control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
