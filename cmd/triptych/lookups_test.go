package main

import (
	"context"
	"slices"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Tools that only read are look-ups, with the exceptions that this list gives a
// reason for; all others are changes.
func TestLookUpsAreReadOnlyTools(t *testing.T) {
	changes := map[string]string{
		"debugger/get_comprehensive_audit": "it shows the records of other keys",
	}
	for _, table := range freshTables(t) {
		for _, tool := range table.Tools {
			reads := tool.Hints&mcp.ReadOnly != 0 && changes[tool.Name] == ""
			if reads != (tool.LookUp != "") {
				t.Errorf("%s: read-only %v, look-up because %q", tool.Name, reads, tool.LookUp)
			}
		}
		for _, source := range table.Resources {
			if source.LookUp == "" {
				t.Errorf("resources %s are no look-ups", source.Scheme)
			}
		}
	}
}

// The server tells look-ups by the rows of its methods, tools and resources.
func TestServersTellLookUps(t *testing.T) {
	var events []host.Event
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1", Observe: func(_ context.Context, e *host.Event) error {
		events = append(events, *e)
		return nil
	}}, freshTables(t)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() }) // it was only asked
	handler := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	for line, want := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`:                                                          true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_rulesets","arguments":{}}}`:         true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"delete_ruleset","arguments":{}}}`:        false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nonsense","arguments":{}}}`:              false,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ruleset://x"}}`:                       true,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"nonsense://x"}}`:                      false,
		`{"jsonrpc":"2.0","id":1,"method":"nonsense"}`:                                                            false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debugger/quota_status","arguments":{}}}`: true,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"debugger/step_forward","arguments":{}}}`: false,
	} {
		body, rpcErr := jsonrpc.Decode([]byte(line), jsonrpc.Config{})
		if rpcErr != nil {
			t.Fatal(rpcErr)
		}
		events = nil
		_, _ = handler.Handle(t.Context(), body.Messages[0].Request, nil) // the answer does not matter
		if i := slices.IndexFunc(events, func(e host.Event) bool { return e.IsRequest() }); i < 0 || events[i].LookUp != want {
			t.Errorf("%s: %+v, want a look-up: %v", line, events, want)
		}
	}
}
