package streamable_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// echoing is the body of a call whose answer has about n bytes.
func echoing(id, n int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":%q}}}`, id, strings.Repeat("x", n))
}

// send sends a POST without reading the answer.
func (s setup) send(t *testing.T, principal, body string, headers ...string) net.Conn {
	t.Helper()
	return s.start(t, strings.Join(append([]string{principal}, headers...), "\r\n"), len(body), body)
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// TestUnreadAnswers: answers that wait for clients which do not read them use up
// the budget of their key. Further ones are refused until some were read.
func TestUnreadAnswers(t *testing.T) {
	const size = 7 << 20 // more than the sockets of a connection hold
	s := serve(t, func(c *streamable.Config) { c.AnswerMemory, c.AnswerMemoryTotal = size*3/2, 4*size })
	first := s.send(t, "anna", echoing(1, size))
	waitFor(t, "the first answer is being written", func() bool { return s.endpoint.AnswerUsage().Used >= size })
	second := status(t, s.send(t, "anna", echoing(2, size)))
	if text, _ := io.ReadAll(second.Body); second.StatusCode != http.StatusTooManyRequests || !strings.Contains(string(text), `"id":2`) {
		t.Errorf("the second answer: %s %.200s, want 429 for request 2", second.Status, text)
	}
	other := s.send(t, "eve", echoing(3, size))
	if got := status(t, other); got.StatusCode != http.StatusOK {
		t.Errorf("an answer of another key: %s, want 200", got.Status)
	}
	_, _ = first.Close(), other.Close() // they are open
	waitFor(t, "the memory is given back", func() bool { return s.endpoint.AnswerUsage().Used == 0 })
}

// TestParkedAnswers: answers kept for clients that may come back give way to
// newer ones, oldest first, and go with their sessions.
func TestParkedAnswers(t *testing.T) {
	const size, most = 7 << 20, 17 << 20 // size is more than the sockets of a connection hold
	s := serve(t, func(c *streamable.Config) { c.AnswerMemory = most })
	var sessions []string
	for i := range 4 {
		session := s.session(t, "2025-11-25")
		sessions = append(sessions, session)
		conn := s.send(t, "anna", echoing(i, size), session, "Accept: text/event-stream")
		status(t, conn)
		_ = conn.Close() // that the answer is not read to its end is the point
		waitFor(t, "the reader left", func() bool { return s.endpoint.StreamUsage().Used == 0 })
		if got := s.endpoint.AnswerUsage().Used; got > most {
			t.Errorf("%d bytes are kept, want at most %d", got, most)
		}
	}
	resume := func(session string) int {
		resp := s.open(t, "GET", "", session, "Accept: text/event-stream", "Last-Event-ID: 1_0")
		text, _ := io.ReadAll(resp.Body) // an answer that is cut off is none
		if resp.StatusCode == http.StatusOK && len(text) < size {
			t.Errorf("%d bytes of the answer came", len(text))
		}
		return resp.StatusCode
	}
	if first, last := resume(sessions[0]), resume(sessions[3]); first != http.StatusBadRequest || last != http.StatusOK {
		t.Errorf("resuming the first gives %d, the last %d; want 400, 200", first, last)
	}
	s.endpoint.Forget("anna")
	waitFor(t, "the memory is given back", func() bool { return s.endpoint.AnswerUsage().Used == 0 })
}

// TestUnreadNotifications: what sessions keep for clients that may resume gives way to
// answers, whether a client reads its session's stream or none does.
func TestUnreadNotifications(t *testing.T) {
	const most = 64 << 10
	var server *mcp.Server
	s := serve(t, func(c *streamable.Config) { c.AnswerMemory, server = most, c.Server })
	var sessions []string
	for range 40 {
		sessions = append(sessions, s.session(t, "2025-06-18"))
	}
	read := events(t, s.open(t, "GET", "", sessions[0], "Accept: text/event-stream"))
	changes := 0
	for ; s.endpoint.AnswerUsage().Used < most*7/8; changes++ { // some 130 bytes, kept 40 times
		if changes == 100 {
			t.Fatalf("only %d bytes are kept", s.endpoint.AnswerUsage().Used)
		}
		server.Changes().ResourcesChanged()
		read()
	}
	for _, session := range []string{"", sessions[1]} {
		if resp, text := s.ask(t, "POST", echoing(1, most/2), session); resp.StatusCode != http.StatusOK {
			t.Errorf("an answer: %s %.200s, want 200", resp.Status, text)
		}
	}
	server.Changes().ResourcesChanged()
	expect(t, read, fmt.Sprintf(`0_%d|{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`, changes+1))
}

// TestLargeBatch: the rest of a batch is refused when its answers are too long.
func TestLargeBatch(t *testing.T) {
	s := serve(t)
	var calls []string
	for i := range 12 {
		calls = append(calls, echoing(i, 1<<20))
	}
	_, text := s.ask(t, "POST", "["+strings.Join(calls, ",")+"]")
	if n := strings.Count(text, `"result"`); n != 8 && n != 9 {
		t.Errorf("%d requests of a MiB each were answered, want those of 8 MiB", n)
	}
	if n := strings.Count(text, `"error"`); n < 3 {
		t.Errorf("%d requests were refused, want 3 or 4", n)
	}
}
