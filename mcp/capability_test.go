package mcp_test

import (
	"context"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// Clients that name no revision are served as those of the oldest one by a server without
// documents, and get the answers of the document if there is one.
func TestBareClients(t *testing.T) {
	read := func(context.Context, *mcp.Call, string) ([]mcp.Contents, error) {
		return nil, &mcp.ResourceNotFoundError{URI: "a://b"}
	}
	stay := mcp.Typed(func(context.Context, *mcp.Call, noArgs) (string, error) { return "", nil })
	table := func(d *mcp.Documented) *mcp.Table {
		return &mcp.Table{
			Family: "a", Documented: d, Instructions: "Stay.",
			Tools:     []mcp.Tool{{Name: "stay", Call: stay}, {Name: "more", Extension: true, Call: stay}},
			Resources: []mcp.ResourceSource{{Scheme: "a", Read: read}},
		}
	}
	bare := func(d *mcp.Documented, method, params string) string {
		server, err := mcp.New(mcp.Config{Name: "a", Version: "1"}, table(d))
		if err != nil {
			t.Fatal(err)
		}
		return ask(t, server.Bind(host.Caller{}, nil), method, params)
	}
	same(t, bare(nil, "initialize", `{}`), `{"protocolVersion":"2024-11-05",
		"capabilities":{"tools":{},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"a","version":"1"},"instructions":"Stay."}`)
	document := &mcp.Documented{Identity: mcp.Implementation{Name: "old", Version: "0"}, Capabilities: mcp.CapabilityLogging}
	same(t, bare(document, "initialize", `{}`),
		`{"protocolVersion":"2024-11-05","capabilities":{"logging":{}},"serverInfo":{"name":"old","version":"0"}}`)
	if list := bare(nil, "tools/list", `{}`); !strings.Contains(list, `"more"`) {
		t.Errorf("without a document, tools/list answers %s", list)
	}
	if list := bare(document, "tools/list", `{}`); strings.Contains(list, `"more"`) {
		t.Errorf("with a document, tools/list answers %s", list)
	}
}

// The only table of a server needs no name: its calls run in order under the server's.
func TestTableWithoutFamily(t *testing.T) {
	table := &mcp.Table{Tools: []mcp.Tool{{
		Name: "stay", Call: mcp.Typed(func(context.Context, *mcp.Call, noArgs) (string, error) { return "", nil }),
	}}}
	server, err := mcp.New(mcp.Config{Name: "alone", Version: "1"}, table)
	if err != nil {
		t.Fatal(err)
	}
	call := &jsonrpc.Request{Method: "tools/call", Params: []byte(`{"name":"stay"}`)}
	if got := server.Bind(host.Caller{}, nil).Sequence(call); got != "alone" || table.Family != "" {
		t.Errorf("calls are in the sequence %q and the table is of %q", got, table.Family)
	}
	if _, err := mcp.New(mcp.Config{Name: "alone", Version: "1"}, new(mcp.Table), new(mcp.Table)); err == nil {
		t.Error("two tables have the same name")
	}
}
