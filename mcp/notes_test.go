package mcp_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A link has one object of annotations: its own and those of the resource.
func TestAnnotationsOfALink(t *testing.T) {
	half := 0.5
	link := mcp.Link(mcp.Resource{URI: "house://hall", Name: "hall", LastModified: time.Date(2026, 7, 28, 12, 0, 0, 0, time.UTC)}).
		Annotated(mcp.Annotations{Audience: []string{"user"}, Priority: &half})
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, &mcp.Table{Family: "house", Tools: []mcp.Tool{{
		Name: "link", Doc: "Gives a link", Call: mcp.Typed(func(context.Context, *mcp.Call, noArgs) (*mcp.Result, error) {
			return &mcp.Result{Content: []mcp.Content{link}}, nil
		}),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	for revision, want := range map[string]string{
		"2024-11-05": `{"type":"text","text":"house://hall","annotations":{"audience":["user"],"priority":0.5}}`,
		"2025-03-26": `{"type":"text","text":"house://hall","annotations":{"audience":["user"],"priority":0.5}}`,
		"2025-06-18": `{"type":"resource_link","uri":"house://hall","name":"hall","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-07-28T12:00:00Z"}}`,
		"2025-11-25": `{"type":"resource_link","uri":"house://hall","name":"hall","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-07-28T12:00:00Z"}}`,
	} {
		h := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
		initialize(t, h, revision, "{}")
		if got := ask(t, h, "tools/call", `{"name":"link","arguments":{}}`); !strings.Contains(got, `"content":[`+want+`]`) {
			t.Errorf("%s: got %s, want %s", revision, got, want)
		}
	}
}
