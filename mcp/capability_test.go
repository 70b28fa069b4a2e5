package mcp_test

import (
	"context"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A table without a document's capabilities offers what it has to clients that name no
// revision, too: they would ask for nothing that they are not told of.
func TestCapabilitiesOfRows(t *testing.T) {
	read := func(context.Context, *mcp.Call, string) ([]mcp.Contents, error) { return nil, nil }
	tool := mcp.Tool{Name: "stay", Call: mcp.Typed(func(context.Context, *mcp.Call, noArgs) (string, error) { return "", nil })}
	for _, tc := range []struct {
		table mcp.Table
		want  string
	}{
		{mcp.Table{}, `{}`},
		{mcp.Table{Tools: []mcp.Tool{tool}}, `{"tools":{}}`},
		{mcp.Table{Resources: []mcp.ResourceSource{{Scheme: "a", Read: read}}}, `{"resources":{"subscribe":false,"listChanged":false}}`},
		{mcp.Table{Prompts: []mcp.Prompt{{Name: "p"}}}, `{"prompts":{}}`},
		{mcp.Table{PromptSource: new(mcp.PromptSource), Tools: []mcp.Tool{tool}}, `{"tools":{},"prompts":{}}`},
		{mcp.Table{Baseline: mcp.CapabilityLogging, Tools: []mcp.Tool{tool}}, `{"logging":{}}`},
	} {
		server, err := mcp.New(mcp.Config{Name: "a", Version: "1"}, &tc.table)
		if err != nil {
			t.Fatal(err)
		}
		same(t, ask(t, server.Bind(host.Caller{}, nil), "initialize", `{}`),
			`{"protocolVersion":"2024-11-05","capabilities":`+tc.want+`,"serverInfo":{"name":"a","version":"1"}}`)
	}
}
