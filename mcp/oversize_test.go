package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A memoryStore is an OversizeStore that has room for two answers.
type memoryStore map[string]string

func (b memoryStore) Put(_ context.Context, owner, text string) (id, path string, err error) {
	if len(b) == 2 {
		return "", "", host.ErrNoRoom
	}
	id = fmt.Sprintf("A%d", len(b))
	b[owner+id] = text
	return id, "/answers/" + id, nil
}

func (b memoryStore) Open(_ context.Context, owner, id string) (host.OversizeText, error) {
	if text, ok := b[owner+id]; ok {
		return memoryText{strings.NewReader(text)}, nil
	}
	return nil, fs.ErrNotExist
}

type memoryText struct{ *strings.Reader }

func (memoryText) Close() error { return nil }

// TestLargeAnswers: an answer that clients cannot take is kept, and its pieces
// are the answer again, for its owner alone.
func TestLargeAnswers(t *testing.T) {
	large := strings.Repeat("ä漢x", 2_000_000) // 12 MB, with characters of several bytes
	table := &mcp.Table{
		Family: "large",
		Tools: []mcp.Tool{{Name: "large", Doc: "says much", Call: mcp.Typed(
			func(context.Context, *mcp.Call, struct{}) (string, error) { return large, nil })}},
		Resources: []mcp.ResourceSource{{
			Scheme: "large",
			Read: func(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
				return []mcp.Contents{{URI: uri, Text: large}}, nil
			},
		}},
	}
	server, err := mcp.New(mcp.Config{Name: "t", Version: "1", Oversize: memoryStore{}}, table)
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Result struct {
			IsError  bool
			Content  []struct{ Text string }
			Contents []struct{ Text string }
		}
		Error *struct{ Message string }
	}
	local := false
	ask := func(owner, method, params string) (result answer) {
		h := server.Bind(host.Caller{Principal: host.Principal{ID: owner}, Connection: local}, nil)
		raw := jsonrpc.Answer(t.Context(), h, &jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: method, Params: []byte(params)}, nil)
		if len(raw) > mcp.MaxAnswer+1000 {
			t.Fatalf("%s: %d bytes were sent", method, len(raw))
		}
		if method == "tools/call" && cap(raw) > 1<<20 { // transports charge it to their budgets
			t.Fatalf("%s: an answer of %d bytes holds %d", method, len(raw), cap(raw))
		}
		if err := json.Unmarshal(raw, &result); err != nil {
			t.Fatal(err)
		}
		return result
	}
	called := ask("anna", "tools/call", `{"name":"large","arguments":{}}`).Result
	if told := called.Content[0].Text; !called.IsError || strings.Contains(told, "/answers/") || !strings.Contains(told, "answer://A0/1 to /12") {
		t.Fatalf("got %v %s", called.IsError, told)
	}
	var pieces strings.Builder
	for n := 1; n <= 12; n++ {
		for _, c := range ask("anna", "resources/read", fmt.Sprintf(`{"uri":"answer://A0/%d"}`, n)).Result.Contents {
			pieces.WriteString(c.Text)
		}
	}
	if pieces.String() != large {
		t.Errorf("the pieces have %d bytes, the answer %d", pieces.Len(), len(large))
	}
	for _, wrong := range []struct{ owner, uri string }{
		{"ben", "answer://A0/1"}, {"anna", "answer://A0/13"}, {"anna", "answer://A0/0"}, {"anna", "answer://A0"}, {"anna", "answer://B/1"},
	} {
		if got := ask(wrong.owner, "resources/read", `{"uri":"`+wrong.uri+`"}`); got.Error == nil || !strings.Contains(got.Error.Message, "not found") {
			t.Errorf("%s read %s: %+v", wrong.owner, wrong.uri, got)
		}
	}
	local = true // only such a client can read the file
	if got := ask("anna", "resources/read", `{"uri":"large://x"}`); got.Error == nil || !strings.Contains(got.Error.Message, "in the file /answers/A1, and in 12 pieces") {
		t.Errorf("a large resource: %+v", got.Error)
	}
	if got := ask("anna", "tools/call", `{"name":"large","arguments":{}}`).Result; !got.IsError || !strings.HasSuffix(got.Content[0].Text, "no room to keep it; ask for less") {
		t.Errorf("without room: %+v", got)
	}
}
