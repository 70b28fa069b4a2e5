package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

type told struct {
	Word  string            `json:"word"`
	Words []string          `json:"words"`
	By    map[string]string `json:"by"`
	Count int               `json:"count"`
}

func (w told) Text() string { return "the word is " + w.Word }

// Whatever leaves the server is masked: texts, structured content, errors of tools and of
// the protocol, resources.
func TestMask(t *testing.T) {
	const word = "sesame"
	type args struct {
		How string `json:"how"`
	}
	table := &mcp.Table{
		Family: "cave",
		Mask:   func(text string) string { return strings.ReplaceAll(text, word, "***") },
		Tools: []mcp.Tool{{
			Name: "tell", Doc: "Tell", Call: mcp.Typed(func(_ context.Context, _ *mcp.Call, a args) (told, error) {
				switch a.How {
				case "fail":
					return told{}, mcp.ToolError(errors.New("no sesame"))
				case "refuse":
					return told{}, jsonrpc.Errorf(-5, "no sesame").WithDetails("it is sesame")
				}
				return told{word, []string{"a \"sesame\"\n", "b"}, map[string]string{word: "x"}, 7}, nil
			}),
		}, {
			Name: "read", Doc: "Read", Unmasked: true, Call: mcp.Typed(func(context.Context, *mcp.Call, struct{}) (string, error) {
				return "it says sesame", nil
			}),
		}},
		Resources: []mcp.ResourceSource{{
			Scheme: "cave",
			Read: func(_ context.Context, _ *mcp.Call, uri string) ([]mcp.Contents, error) {
				return []mcp.Contents{{URI: uri, MIMEType: "text/plain", Text: "open sesame"}}, nil
			},
		}},
	}
	for _, revision := range []string{"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"} {
		c := mcptest.Connect(t, table)
		c.Initialize(revision)
		for _, how := range []string{"well", "fail", "refuse"} {
			raw := resultOf(c, "tools/call", map[string]any{"name": "tell", "arguments": map[string]any{"how": how}})
			if strings.Contains(raw, word) || !strings.Contains(raw, "***") {
				t.Errorf("%s, %s: %s", revision, how, raw)
			}
			if how == "well" && revision >= "2025-06-18" {
				if want := `"structuredContent":{"word":"***","words":["a \"***\"\n","b"],"by":{"***":"x"},"count":7}`; !strings.Contains(raw, want) {
					t.Errorf("%s: got %s, want in it %s", revision, raw, want)
				}
			}
		}
		if got := c.Call("read", nil).String(); got != "it says sesame" {
			t.Errorf("%s: a tool that is not masked answers %q", revision, got)
		}
		if raw := resultOf(c, "resources/read", map[string]any{"uri": "cave://door"}); !strings.Contains(raw, "open ***") {
			t.Errorf("%s: %s", revision, raw)
		}
	}
}

// resultOf returns the result of a request, or its error.
func resultOf(c *mcptest.Client, method string, params any) string {
	result, err := c.Ask(method, params)
	if err != nil {
		return err.Message + string(err.Data)
	}
	return string(result)
}
