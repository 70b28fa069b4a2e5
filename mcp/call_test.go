package mcp_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// TestCallsThatAreOverSendNothing has a handler that keeps its calls: once they
// are answered, nothing is sent for them.
func TestCallsThatAreOverSendNothing(t *testing.T) {
	var kept []*mcp.Call
	keep := func(ctx context.Context, c *mcp.Call, _ noArgs) (string, error) {
		for _, old := range kept {
			old.Progress(ctx, 1, 2, "of a call that is over")
			old.Log(ctx, mcp.LevelEmergency, "test", "of a call that is over")
		}
		kept = append(kept, c)
		return "kept", nil
	}
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{Family: "kept", Tools: []mcp.Tool{
		{Name: "keep", Doc: "keeps calls", Call: mcp.Typed(keep)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w := newWire()
	h := s.Bind(host.Caller{Principal: host.Local(), Connection: true, Send: w}, nil)
	initialize(t, h, "2025-11-25", "{}")
	ask(t, h, "logging/setLevel", `{"level":"debug"}`)
	const wants = `{"name":"keep","_meta":{"progressToken":"p"}}`
	ask(t, h, "tools/call", wants)
	kept[0].Progress(t.Context(), 1, 2, "of a call that is over")
	ask(t, h, "tools/call", wants)
	if got := w.messages(); len(got) != 0 {
		t.Errorf("told %q", got)
	}
}

// The name of a client is that of its handshake, or of the request where there is none,
// without what does not print.
func TestClientName(t *testing.T) {
	for info, want := range map[string]string{
		`{"name":"cursor","version":"1.7"}`: "cursor 1.7", `{"name":"c\u0007\n\u202e"}`: "c", `{"version":2}`: "", `null`: "", `[]`: "",
		`{"name":"` + strings.Repeat("é", 200) + `"}`: strings.Repeat("é", 50),
	} {
		var got []string
		table := &mcp.Table{Family: "house", Tools: []mcp.Tool{{
			Name: "who", Doc: "d", Call: mcp.Typed(func(_ context.Context, call *mcp.Call, _ struct{}) (string, error) {
				got = append(got, call.ClientName())
				return "", nil
			}),
		}}}
		server, err := mcp.New(mcp.Config{Name: "n", Version: "1"}, table)
		if err != nil {
			t.Fatal(err)
		}
		h := server.Bind(host.Caller{Principal: host.Local(), Session: host.NewSession("s"), Connection: true}, nil)
		ask(t, h, "tools/call", `{"name":"who"}`)
		ask(t, h, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":`+info+`}`)
		ask(t, h, "tools/call", `{"name":"who"}`)
		ask(t, h, "tools/call", `{"name":"who","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":`+info+`}}`)
		if !slices.Equal(got, []string{"", want, want}) {
			t.Errorf("%s: got %q, want %q", info, got, want)
		}
	}
}
