package attack_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// A stream is an event stream that a client reads.
type stream struct {
	resp  *http.Response
	lines *bufio.Scanner
	close func()
}

// stream opens one. It has no time limit, and is closed with the test.
func (c *client) stream(t *testing.T, method, body string, headers ...string) *stream {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(stop)
	req, err := c.request(ctx, method, body, append([]string{"Accept", "application/json, text/event-stream"}, headers...)...)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: c.Transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	s := &stream{resp, bufio.NewScanner(resp.Body), func() { stop(); _ = resp.Body.Close() }}
	t.Cleanup(s.close)
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("%s: status %d, Content-Type %s, want a stream", method, resp.StatusCode, kind)
	}
	return s
}

// event is the data of the next event, "" at the end.
func (s *stream) event() string {
	for s.lines.Scan() {
		if data, ok := strings.CutPrefix(s.lines.Text(), "data: "); ok && data != "" {
			return data
		}
	}
	return ""
}

// rest reads to the end and returns all events.
func (s *stream) rest() []string {
	var all []string
	for one := s.event(); one != ""; one = s.event() {
		all = append(all, one)
	}
	return all
}

// foreignSession uses session ids and event ids of another key.
func foreignSession(t *testing.T, s *server, token string) {
	_, other := key(t, s.data)
	anna, eve := s.client(t, token, "", true), s.client(t, other, "", true)
	hers, own := begin(t, anna), begin(t, eve)
	for _, method := range []string{"POST", "GET", "DELETE"} {
		r := eve.send(t, method, list, "Mcp-Session-Id", hers, "Accept", "application/json, text/event-stream")
		r.is(t, method+" in the session of another key", 404, -32600)
	}
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	if r := eve.post(t, cancel, "Mcp-Session-Id", hers); r.status != http.StatusNotFound {
		t.Errorf("a cancellation in the session of another key: %d, want 404", r.status)
	}
	anna.post(t, list, "Mcp-Session-Id", hers).is(t, "in one's own", 200, 0)

	stream := anna.stream(t, "GET", "", "Mcp-Session-Id", hers)
	anna.post(t, create("of_anna"), "Mcp-Session-Id", hers).is(t, "create_ruleset", 200, 0)
	if got := stream.event(); !strings.Contains(got, "list_changed") {
		t.Errorf("anna heard %q, want that the list changed", got)
	}
	stream.close()
	for _, id := range []string{"1_1", "7_1", hers + "_1", "0_-1", "0_x", "x", "0_99999999999999999999", "../0_1"} {
		eve.send(t, "GET", "", "Mcp-Session-Id", own, "Last-Event-ID", id, "Accept", "text/event-stream").
			is(t, "Last-Event-ID "+id, 400, -32600)
	}
	eve.send(t, "DELETE", "", "Mcp-Session-Id", own).is(t, "the end of one's own", 204, 0)
	eve.post(t, list, "Mcp-Session-Id", own).is(t, "after its end", 404, -32600)
	anna.send(t, "DELETE", "", "Mcp-Session-Id", hers).is(t, "the end", 204, 0)
}

// abandonedStreams opens many streams and leaves them without a word.
func abandonedStreams(t *testing.T, s *server, token string) {
	c := s.client(t, token, "", false)
	listen := line("subscriptions/listen", `{`+modern+`,"notifications":{"resourcesListChanged":true}}`)
	for range 50 {
		session := begin(t, c)
		c.stream(t, "GET", "", "Mcp-Session-Id", session).close()
		c.stream(t, "POST", listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen").close()
		c.send(t, "DELETE", "", "Mcp-Session-Id", session).is(t, "DELETE", 204, 0)
	}
	eventually(t, patience, func() bool { return s.number(t, "triptych_requests_in_flight") == 0 })
}

// TestEnd tells the server to end while clients call and listen: every call
// that was taken is answered, streams are told, and all that was answered is
// kept.
func TestEnd(t *testing.T) {
	data := t.TempDir()
	_, token := key(t, data)
	s := start(t, data, "--drain", "15s")
	c := s.client(t, token, "", false)
	session := begin(t, c)
	own := c.stream(t, "GET", "", "Mcp-Session-Id", session)
	listen := c.stream(t, "POST", line("subscriptions/listen", `{`+modern+`,"notifications":{"resourcesListChanged":true}}`),
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
	if got := listen.event(); !strings.Contains(got, "acknowledged") {
		t.Fatalf("heard %s, want that it listens", got)
	}
	begun := s.half(t, token, create("half_sent")) // the server waits for the rest of it
	var callers callers
	callers.begin(t, s, token, 8)
	time.Sleep(300 * time.Millisecond) // so that it is the middle of calls
	wait := s.terminate(t)
	time.Sleep(100 * time.Millisecond) // so that it has heard
	if got := begun(); !strings.Contains(got, " 200 OK") || !strings.Contains(got, "half_sent") {
		t.Errorf("what was half sent got %q, want its result", got)
	}
	if rest := listen.rest(); len(rest) == 0 || !strings.Contains(rest[len(rest)-1], `"result"`) {
		t.Errorf("the listen ended with %q, want its result", rest)
	}
	own.rest()
	if err := own.lines.Err(); err != nil {
		t.Errorf("the session's stream ended with %v, want an end", err)
	}
	if err := wait(); err != nil {
		t.Errorf("the server ended with %v, want status 0", err)
	}
	callers.running.Wait()
	kept := map[string]bool{}
	for word := range strings.FieldsSeq(run(t, data, "rulesets", "list")) {
		kept[word] = true
	}
	for name, answered := range callers.calls {
		if kept[name] != answered {
			t.Errorf("%s was answered: %v, and is kept: %v", name, answered, kept[name])
		}
	}
	if !kept["half_sent"] || len(kept) < 8 {
		t.Errorf("kept are %v; it was not the middle of calls", kept)
	}
	if got := run(t, data, "audit", "verify"); got == "" {
		t.Error("audit verify says nothing")
	}
}

// A callers is clients that make rulesets one after another until the server is
// gone. A request that comes when it is told to end may be dropped: then it must
// not have been carried out.
type callers struct {
	running sync.WaitGroup
	mu      sync.Mutex
	calls   map[string]bool // by name, whether it was answered
}

func (c *callers) begin(t *testing.T, s *server, token string, n int) {
	t.Helper()
	c.calls = map[string]bool{}
	for i := range n {
		one := s.client(t, token, "", false)
		one.Transport.(*http.Transport).DisableKeepAlives = true // a request that is sent again would tell nothing
		c.running.Go(func() {
			for call := 0; c.call(t, one, fmt.Sprintf("caller_%d_%d", i, call)); call++ {
			}
		})
	}
}

// call reports whether to go on.
func (c *callers) call(t *testing.T, one *client, name string) bool {
	r, err := one.try(context.Background(), "POST", create(name))
	answered := err == nil && r.status == http.StatusOK && r.code() == 0
	if err == nil && !answered && r.status != http.StatusServiceUnavailable {
		t.Errorf("%s: %d %s", name, r.status, r.text)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[name] = answered
	return answered
}
