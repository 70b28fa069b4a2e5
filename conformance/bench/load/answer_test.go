//go:build linux

package load

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAnswerID(t *testing.T) {
	for _, tt := range []struct {
		line string
		id   int
		ok   bool
	}{
		{`{"jsonrpc":"2.0","id":10000007,"result":{}}`, 10000007, true},
		{`{"id":10000009,"jsonrpc":"2.0","result":{}}`, 10000009, true},
		{`{"result":{"text":"` + strings.Repeat("x", 100) + `"},"jsonrpc":"2.0","id":10000008}`, 10000008, true},
		{`{"jsonrpc":"2.0","id":3,"result":{}}`, 0, false},
		{`{"jsonrpc":"2.0","id":1000000012,"result":{}}`, 10000000, false},
		{`{"jsonrpc":"2.0","method":"notifications/message"}`, 0, false},
		{``, 0, false},
	} {
		if id, ok := answerID([]byte(tt.line)); id != tt.id || ok != tt.ok {
			t.Errorf("%s: %d, %v, want %d, %v", tt.line, id, ok, tt.id, tt.ok)
		}
	}
}

// Messages are valid JSON, and the id is at the recorded offset.
func TestMessages(t *testing.T) {
	for _, m := range []Message{Ping(), List(), Call("a_tool", `{"x":[1]}`), Echo("\"<é\n>"), initialize("2025-11-25")} {
		putID(m.line[m.id:], 12345678)
		var got struct {
			ID     int
			Method string
			Params struct{ Name string }
		}
		if err := json.Unmarshal(m.line, &got); err != nil || got.ID != 12345678 || got.Method != m.method || got.Params.Name != m.tool {
			t.Errorf("%s: %+v, %v", m.line, got, err)
		}
	}
	if nextID(lastID) != firstID || nextID(firstID) != firstID+1 {
		t.Error("ids do not go round")
	}
}

func TestCheck(t *testing.T) {
	echo := Echo("some")
	for _, tt := range []struct {
		name string
		m    Message
		line string
		fine bool
	}{
		{"echo", echo, `{"result":{"content":[{"text":"some"}]}}`, true},
		{"another text", echo, `{"result":{"content":[{"text":"else"}]}}`, false},
		{"error", echo, `{"error":{"code":-1}}`, false},
		{"error of a tool", echo, `{"result":{"isError":true,"content":[{"text":"some"}]}}`, false},
		{"no result", Ping(), `{}`, false},
		{"no JSON", Ping(), `{`, false},
		{"no tools", List(), `{"result":{"tools":[]}}`, false},
		{"tools", List(), `{"result":{"tools":[{}]}}`, true},
	} {
		if err := tt.m.check([]byte(tt.line)); (err == nil) != tt.fine {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestLastEvent(t *testing.T) {
	stream := "event: message\ndata: {\"a\":1}\n\nid: 7\ndata:\n\nevent: message\ndata:{\"b\":2}\n\n"
	if got := string(lastEvent([]byte(stream))); got != `{"b":2}` {
		t.Errorf("got %s", got)
	}
}
