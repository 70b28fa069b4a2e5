package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"os"
	"os/exec"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An exchange is one request and its response over HTTPS.
type exchange struct {
	Verb    string `json:"verb"`
	Message string `json:"message"` // the method of the body
	Status  int    `json:"status"`
	Type    string `json:"type"`
}

// A witness shows the server the key and keeps what went back and forth, and
// the session that the server gave.
type witness struct {
	key  string
	next http.RoundTripper

	mu        sync.Mutex
	exchanges []exchange
	session   string
}

// RoundTrip implements [http.RoundTripper].
func (w *witness) RoundTrip(req *http.Request) (*http.Response, error) {
	message, err := methodOf(req)
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+w.key)
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")) // "" where there is none
	w.mu.Lock()
	defer w.mu.Unlock()
	w.exchanges = append(w.exchanges, exchange{req.Method, message, resp.StatusCode, kind})
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	return resp, nil
}

// methodOf reads what the body says without taking it away.
func methodOf(req *http.Request) (string, error) {
	if req.Body == nil || req.GetBody == nil {
		return "", nil
	}
	body, err := req.GetBody()
	if err != nil {
		return "", err
	}
	defer body.Close()
	var message struct{ Method string }
	return message.Method, json.NewDecoder(body).Decode(&message)
}

// seen is all that went back and forth, and the session.
func (w *witness) seen() ([]exchange, string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]exchange{}, w.exchanges...), w.session
}

// transport is the transport to the server: one that it starts, or the one that
// serves the run's URL, to which it shows the key.
func (r run) transport(key string) (mcp.Transport, *witness, error) {
	w := &witness{key: key}
	if r.URL == "" {
		command := exec.Command(r.Command, r.Args...)
		command.Stderr = os.Stderr
		return &mcp.CommandTransport{Command: command}, w, nil
	}
	var err error
	if w.next, err = r.trusting(); err != nil {
		return nil, nil, err
	}
	return &mcp.StreamableClientTransport{Endpoint: r.URL, HTTPClient: &http.Client{Transport: w}}, w, nil
}

// trusting returns a transport of HTTP that trusts the server's certificate alone.
func (r run) trusting() (http.RoundTripper, error) {
	pem, err := os.ReadFile(r.Certificate)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("no certificate in " + r.Certificate)
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}, nil
}

// A refusal describes a rejected client. The SDK's error has no type of its
// own.
type refusal struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// refused converts the SDK's error; the status is that of the last response.
func refused(err error, w *witness) *refusal {
	r := &refusal{Message: err.Error()}
	if exchanges, _ := w.seen(); len(exchanges) > 0 {
		r.Status = exchanges[len(exchanges)-1].Status
	}
	return r
}
