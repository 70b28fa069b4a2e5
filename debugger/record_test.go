package debugger_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Records tell what a call was about, by numbers and words of ours only: what a
// caller writes may be a secret of the program.
func TestRecordsTellNoSecrets(t *testing.T) {
	env := host.Env{Logger: slog.New(slog.DiscardHandler), Getenv: func(string) string { return "" }}
	table, err := new(debugger.Config).Open(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]string
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1", Observe: func(_ context.Context, e *host.Event) error {
		got = e.Details
		return nil
	}}, table)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // nothing is left to lose
	h := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	for _, tt := range []struct {
		tool, arguments string
		want            map[string]string
	}{
		{"attach", `{"pid":4194304}`, map[string]string{"pid": "4194304"}},
		{"attach", `{"pid":"hunter2"}`, nil},
		{"attach", `{"pid":-1}`, nil},
		{"set_breakpoint", `{"address":"0x401000","condition":"password == 1"}`, map[string]string{"address": "0x401000"}},
		{"set_breakpoint", `{"address":"4198400"}`, map[string]string{"address": "0x401000"}},
		{"set_breakpoint", `{"function":"main"}`, nil},
		{"read_memory", `{"address":"&password"}`, nil},
		{"write_memory", `{"address":"0x10","hex":"00"}`, map[string]string{"address": "0x10"}},
		{"clear_breakpoint", `{"id":3}`, map[string]string{"id": "3"}},
		{"get_variables", `{}`, map[string]string{"scope": "local"}},
		{"get_variables", `{"scope":"all","filter":"password"}`, map[string]string{"scope": "all"}},
		{"get_variables", `{"scope":"password"}`, nil},
		{"evaluate", `{"expression":"password"}`, nil},
		{"launch", `{"path":"/nowhere/at/all","args":["--password=hunter2"]}`, nil},
	} {
		got = map[string]string{"nothing": "was recorded"}
		req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: "tools/call"}
		req.Params = []byte(`{"name":"debugger/` + tt.tool + `","arguments":` + tt.arguments + `}`)
		jsonrpc.Answer(t.Context(), h, &req, nil)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s %s: (-want +got):\n%s", tt.tool, tt.arguments, diff)
		}
	}
}
