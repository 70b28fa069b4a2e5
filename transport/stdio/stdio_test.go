package stdio_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/transport/stdio"
)

func server(t *testing.T, ended *[]string) *mcp.Server {
	t.Helper()
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{
		Family: "shout",
		Tools: []mcp.Tool{{Name: "shout", Doc: "Say it louder", Call: mcp.Typed(
			func(_ context.Context, _ *mcp.Call, in struct {
				Text string `json:"text"`
			},
			) (string, error) {
				return strings.ToUpper(in.Text), nil
			})}},
		EndSession: func(key string) { *ended = append(*ended, key) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConversationEndsWithItsInput(t *testing.T) {
	var ended []string
	var out bytes.Buffer
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shout","arguments":{"text":"hey"}}}` + "\r\n" +
		`garbage` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if err := stdio.Serve(t.Context(), in, &out, server(t, &ended)); err != nil {
		t.Fatal(err)
	}
	want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"HEY"}]}}
{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}
{"jsonrpc":"2.0","id":2,"result":{}}
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	if len(ended) != 1 {
		t.Errorf("sessions that ended: %q, want one", ended)
	}
}
