package peer_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/transport/peer"
	"github.com/triptych-mcp/triptych/transport/requestid"
)

// A directory has servers whose ages a test sets.
type directory struct {
	mu      sync.Mutex
	servers map[string]peer.Server
	ages    map[string]time.Duration
}

func (d *directory) Lookup(_ context.Context, tag string) (peer.Server, time.Duration, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.servers[tag]
	if !ok {
		return s, 0, peer.ErrUnknown
	}
	return s, d.ages[tag], nil
}

func (d *directory) Remove(_ context.Context, tag string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.servers, tag)
}

func (d *directory) set(s peer.Server, age time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.servers[s.Tag], d.ages[s.Tag] = s, age
}

var (
	secret = []byte("shared by two servers")
	client = netip.MustParseAddrPort("192.0.2.7:1234")
)

// pair starts the server "two", whose handler is h, and returns the client of the server
// "one".
func pair(t *testing.T, h http.HandlerFunc) (*peer.Client, *directory, *httptest.Server) {
	t.Helper()
	two := httptest.NewServer(peer.Accept(peer.NewKey(secret), "two", h))
	t.Cleanup(two.Close)
	servers := &directory{servers: map[string]peer.Server{}, ages: map[string]time.Duration{}}
	servers.set(peer.Server{Tag: "two", Name: "the second", URL: two.URL}, 0)
	one := peer.NewClient(peer.Config{Key: peer.NewKey(secret), Self: "one", Servers: servers, AnswerTime: 20 * time.Second})
	t.Cleanup(func() { _ = one.Close() }) // it never fails
	return one, servers, two
}

// incoming returns a request of a client to the server "one".
func incoming(t *testing.T, body string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp?toolsets=a", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer k")
	r.Header.Set("X-Forwarded-For", "203.0.113.1")
	r.Header.Set("Origin", "https://example.com")
	r.Header.Set("Mcp-Session-Id", "s")
	return r
}

// The other server gets the request as the client has sent it, with the client's address,
// and its answer goes to the client.
func TestPass(t *testing.T) {
	one, _, _ := pair(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != "question" || !peer.IsPassedOn(r.Context()) {
			t.Errorf("body %q, %v, passed on %v", body, err, peer.IsPassedOn(r.Context()))
		}
		if r.RemoteAddr != client.String() || r.URL.String() != "/mcp?toolsets=a" || r.Method != http.MethodPost {
			t.Errorf("%s %s from %s", r.Method, r.URL, r.RemoteAddr)
		}
		for name, want := range map[string]string{
			"Authorization": "Bearer k", "Mcp-Session-Id": "s", "X-Forwarded-For": "", "Origin": "", peer.Header: "",
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if id := requestid.FromContext(r.Context()); id != "7-b" {
			t.Errorf("the id of the request is %q, want that of the first server", id)
		}
		w.Header().Set("X-Ratelimit-Limit", "5")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "answer")
	})
	w := httptest.NewRecorder()
	question := incoming(t, "question")
	question = question.WithContext(requestid.NewContext(question.Context(), "7-b"))
	began, err := one.Pass(w, question, []byte("question"), client, "two")
	if !began || err != nil || w.Code != http.StatusTeapot || w.Body.String() != "answer" || w.Header().Get("X-Ratelimit-Limit") != "5" {
		t.Errorf("began %v, %v: %d %q %v", began, err, w.Code, w.Body, w.Header())
	}
}

// While it cannot be found out which server a request needs, it is refused, and no server is
// asked.
func TestPassToUnknownOwner(t *testing.T) {
	one, _, _ := pair(t, func(http.ResponseWriter, *http.Request) { t.Error("a server was asked") })
	began, err := one.Pass(httptest.NewRecorder(), incoming(t, "question"), []byte("question"), client, peer.UnknownOwner)
	if _, ok := errors.AsType[*peer.AwayError](err); began || !ok || !strings.Contains(err.Error(), "the store does not answer") {
		t.Errorf("began %v, %v", began, err)
	}
}

// Each part of a stream is sent as it comes: the next is only sent when the client has
// got the one before.
func TestPassStream(t *testing.T) {
	heard := make(chan struct{})
	one, _, _ := pair(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = io.WriteString(w, "part\n") // the client reads to the end
			w.(http.Flusher).Flush()
			<-heard
		}
	})
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := one.Pass(w, r, nil, client, "two"); err != nil {
			t.Error(err)
		}
	}))
	defer front.Close()
	resp, err := front.Client().Get(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for range 3 {
		part := make([]byte, 5)
		if _, err := io.ReadFull(resp.Body, part); err != nil || string(part) != "part\n" {
			t.Fatalf("%q, %v", part, err)
		}
		heard <- struct{}{}
	}
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 { // a client that leaves earlier is an error
		t.Errorf("behind the last part come %q, %v", rest, err)
	}
}

// Headers that no server has made, that were made for something else, that were used
// before or that are for another server are refused.
func TestForged(t *testing.T) {
	var captured *http.Request
	one, servers, two := pair(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // its error is the test of the body's hash
	})
	spy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { captured = r.Clone(context.Background()) }))
	defer spy.Close()
	capture := func() *http.Request {
		servers.set(peer.Server{Tag: "two", URL: spy.URL}, 0)
		if _, err := one.Pass(httptest.NewRecorder(), incoming(t, "q"), []byte("q"), client, "two"); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, two.URL+"/mcp?toolsets=a", strings.NewReader("q"))
		r.RequestURI, r.Header = "", captured.Header
		return r
	}
	send := func(r *http.Request) int {
		resp, err := two.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	genuine := capture()
	again := genuine.Clone(t.Context())
	again.Body = io.NopCloser(strings.NewReader("q"))
	if got := send(genuine); got != http.StatusOK {
		t.Errorf("the genuine request: %d", got)
	}
	if got := send(again); got != http.StatusForbidden {
		t.Errorf("the same once more: %d", got)
	}
	for name, change := range map[string]func(*http.Request){
		"another key":     func(r *http.Request) { r.Header.Set("Authorization", "Bearer other") },
		"another session": func(r *http.Request) { r.Header.Set("Mcp-Session-Id", "other") },
		"another path":    func(r *http.Request) { r.URL.RawQuery = "" },
		"another method":  func(r *http.Request) { r.Method = http.MethodPut },
		"two headers":     func(r *http.Request) { r.Header.Add(peer.Header, "x") },
		"nonsense":        func(r *http.Request) { r.Header.Set(peer.Header, "a b c d e f") },
		"another address": func(r *http.Request) {
			r.Header.Set(peer.Header, strings.Replace(r.Header.Get(peer.Header), "192.0.2.7", "192.0.2.8", 1))
		},
	} {
		r := capture()
		change(r)
		if got := send(r); got != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", name, got)
		}
	}
}

// A body that is not the one that was passed on ends in an error.
func TestChangedBody(t *testing.T) {
	var captured http.Header
	spy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { captured = r.Header.Clone() }))
	defer spy.Close()
	one, servers, two := pair(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err == nil {
			w.WriteHeader(http.StatusAccepted)
		}
	})
	servers.set(peer.Server{Tag: "two", URL: spy.URL}, 0)
	if _, err := one.Pass(httptest.NewRecorder(), incoming(t, "q"), []byte("q"), client, "two"); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, two.URL+"/mcp?toolsets=a", strings.NewReader("other"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = captured
	resp, err := two.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusAccepted {
		t.Error("another body was read to its end without an error")
	}
}

// A server that has ended and one that cannot be reached are told apart.
func TestAway(t *testing.T) {
	one, servers, two := pair(t, func(http.ResponseWriter, *http.Request) {})
	pass := func(tag string) error {
		began, err := one.Pass(httptest.NewRecorder(), incoming(t, ""), nil, client, tag)
		if began {
			t.Errorf("%s: the answer has begun", tag)
		}
		return err
	}
	ended, away := new(peer.EndedError), new(peer.AwayError)
	if err := pass("gone"); !errors.As(err, &ended) {
		t.Errorf("a server that is not registered: %v", err)
	}
	servers.set(peer.Server{Tag: "before", Name: "the one before", URL: two.URL}, 0)
	if err := pass("before"); !errors.As(err, &ended) || ended.Name != "the one before" {
		t.Errorf("a server whose address another one has: %v", err)
	}
	if _, _, err := servers.Lookup(t.Context(), "before"); err == nil {
		t.Error("a server whose address another one has is still registered")
	}
	two.Close()
	if err := pass("two"); !errors.As(err, &away) || away.Name != "the second" {
		t.Errorf("a server that refuses connections: %v", err)
	}
	servers.set(peer.Server{Tag: "two", Name: "the second", URL: two.URL}, time.Minute)
	if err := pass("two"); !errors.As(err, &ended) {
		t.Errorf("a server that refuses connections and does not show that it runs: %v", err)
	}
	servers.set(peer.Server{Tag: "mute", Name: "m"}, 0)
	if err := pass("mute"); !errors.As(err, &away) {
		t.Errorf("a server without a URL: %v", err)
	}
}

// A server that takes a request and does not answer is given up after a time.
func TestSlow(t *testing.T) {
	hold := make(chan struct{})
	two := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hold }))
	defer two.Close()
	defer close(hold)
	servers := &directory{servers: map[string]peer.Server{}, ages: map[string]time.Duration{}}
	servers.set(peer.Server{Tag: "two", Name: "the second", URL: two.URL}, 0)
	one := peer.NewClient(peer.Config{Key: peer.NewKey(secret), Self: "one", Servers: servers, AnswerTime: 20 * time.Millisecond})
	defer func() { _ = one.Close() }() // it never fails
	began, err := one.Pass(httptest.NewRecorder(), incoming(t, ""), nil, client, "two")
	if away := new(peer.AwayError); began || !errors.As(err, &away) {
		t.Errorf("began %v, %v", began, err)
	}
}

// Over TLS, a server must have the certificate that it has registered.
func TestCertificate(t *testing.T) {
	two := httptest.NewUnstartedServer(peer.Accept(peer.NewKey(secret), "two", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	two.Config.ErrorLog = log.New(io.Discard, "", 0) // it logs the handshakes that are meant to fail
	two.StartTLS()
	defer two.Close()
	sum := sha256.Sum256(two.Certificate().Raw)
	for certificate, want := range map[string]bool{hex.EncodeToString(sum[:]): true, strings.Repeat("0", 64): false, "": false} {
		servers := &directory{servers: map[string]peer.Server{}, ages: map[string]time.Duration{}}
		servers.set(peer.Server{Tag: "two", URL: two.URL, Certificate: certificate}, 0)
		one := peer.NewClient(peer.Config{Key: peer.NewKey(secret), Self: "one", Servers: servers})
		if _, err := one.Pass(httptest.NewRecorder(), incoming(t, "q"), []byte("q"), client, "two"); (err == nil) != want {
			t.Errorf("certificate %q: %v", certificate, err)
		}
		_ = one.Close() // it never fails
	}
}
