package valkeystore_test

import (
	"bytes"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// A lateProxy stands before a server. It closes the first connection that sends EXEC and keeps
// that request back until another connection sends a word; then the server gets both, one
// after the other.
type lateProxy struct {
	server string
	word   string // in lower case

	mu      sync.Mutex
	late    []byte      // the request, nil before it comes
	conn    net.Conn    // to the server; nil when the request was passed on
	answers chan []byte // of that connection
}

func startLateProxy(t *testing.T, server, word string) (p *lateProxy, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // nothing to lose
	p = &lateProxy{server: server, word: word}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go p.pass(client)
		}
	}()
	return p, l.Addr().String()
}

func (p *lateProxy) pass(client net.Conn) {
	defer func() { _ = client.Close() }() // nothing to lose
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	kept := false
	defer func() {
		if !kept {
			_ = server.Close() // nothing to lose
		}
	}()
	answers := make(chan []byte, 100)
	go pipe(client, server, func(answer []byte) bool {
		answers <- bytes.Clone(answer)
		return true
	})
	pipe(server, client, func(request []byte) bool {
		for len(answers) > 0 { // those of earlier requests
			<-answers
		}
		kept = p.keep(server, request, answers)
		return !kept
	})
}

// keep keeps the first EXEC back, and passes it on before the request with the word.
func (p *lateProxy) keep(server net.Conn, request []byte, answers chan []byte) (kept bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.ToLower(string(request))
	switch {
	case p.late == nil && strings.Contains(text, "exec\r\n"):
		p.late, p.conn, p.answers = bytes.Clone(request), server, answers
		return true
	case p.conn != nil && p.conn != server && strings.Contains(text, p.word):
		_, _ = p.conn.Write(p.late)                         // an error shows in what the test finds
		for answer := ""; !strings.Contains(answer, "*"); { // the answer of EXEC is an array
			select {
			case part := <-p.answers:
				answer += string(part)
			case <-time.After(time.Minute):
				return false
			}
		}
		_ = p.conn.Close() // nothing to lose
		p.conn = nil
	}
	return false
}

// A batch whose transaction comes late is made once, and its caller learns so: it is no
// conflict with itself and moves no label twice.
func TestBatchThatComesLate(t *testing.T) {
	for what, word := range map[string]string{"before the next attempt": "watch\r\n", "within it": "exec\r\n"} {
		t.Run(what, func(t *testing.T) {
			server := valkeytest.Start(t)
			direct := open(t, "valkey://"+server.Addr, atNoon)
			if _, err := ruleset.Create(t.Context(), direct, ruleset.Draft{Name: "a", Markdown: "one"}); err != nil {
				t.Fatal(err)
			}
			p, addr := startLateProxy(t, server.Addr, word)
			s := open(t, "valkey://"+addr, atNoon)
			text := "two"
			move := ruleset.LabelMove{Label: "production", Newest: true}
			outcomes, err := s.Apply(t.Context(), []ruleset.Operation{
				{Name: "a", Update: &ruleset.Patch{Markdown: &text, IfRev: 1}}, {Name: "a", Move: &move},
			}, ruleset.ApplyOptions{})
			if err != nil || len(outcomes) != 2 || outcomes[0].Rev != 2 || outcomes[1].Move.To != 2 {
				t.Errorf("%+v, %v; want revision 2", outcomes, err)
			}
			p.mu.Lock()
			if p.late == nil || p.conn != nil {
				t.Error("no transaction came late")
			}
			p.mu.Unlock()
			history, err := direct.History(t.Context(), "a")
			moves, movesErr := direct.LabelMoves(t.Context(), "a")
			if err != nil || movesErr != nil || len(history) != 2 || len(moves) != 1 {
				t.Errorf("%d revisions and %d moves, %v, %v; want 2 and 1", len(history), len(moves), err, movesErr)
			}
		})
	}
}
