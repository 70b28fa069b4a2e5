package mcp_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// grouped are two families with three toolsets.
func grouped() []*mcp.Table {
	answer := mcp.Typed(func(context.Context, *mcp.Call, noArgs) (greeting, error) { return greeting{"done"}, nil })
	return []*mcp.Table{
		{Family: "house", Tools: []mcp.Tool{
			{Name: "house/look", Hints: mcp.ReadOnly, Call: answer},
			{Name: "house/paint", Call: answer},
			{Name: "house/dig", Toolset: "cellar", Call: answer},
		}},
		{Family: "garden", Tools: []mcp.Tool{{Name: "garden/plant", Call: answer}}},
	}
}

// listedNames returns the names in tools/list, without their family.
func listedNames(t *testing.T, h *mcp.Handler) string {
	t.Helper()
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal([]byte(ask(t, h, "tools/list", "")), &list); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name[strings.IndexAny(tool.Name, "/_")+1:])
	}
	return strings.Join(names, " ")
}

// TestToolsAreSelected selects tools for a server, and the same for one caller
// of a server that has all: the others are not listed, and calls of them say
// where they are.
func TestToolsAreSelected(t *testing.T) {
	for _, tt := range []struct {
		name      string
		selection host.ToolSelection
		want      string
	}{
		{"nothing", host.ToolSelection{}, "look paint dig plant"},
		{"a family", host.ToolSelection{Toolsets: []string{"house"}}, "look paint dig"},
		{"a toolset", host.ToolSelection{Toolsets: []string{"core"}}, "look paint plant"},
		{"a toolset of a family", host.ToolSelection{Toolsets: []string{"house/core"}}, "look paint"},
		{"tools", host.ToolSelection{Tools: []string{"house/dig", "garden_plant"}}, "dig plant"},
		{"both", host.ToolSelection{Toolsets: []string{"garden"}, Tools: []string{"house_look"}}, "look plant"},
		{"what changes nothing", host.ToolSelection{ReadOnly: true}, "look"},
		{"nothing that changes nothing", host.ToolSelection{Toolsets: []string{"garden"}, ReadOnly: true}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config := mcp.Config{Name: "test", Version: "1"}
			caller := host.Caller{Tools: &tt.selection}
			for _, where := range []string{"caller", "server"} {
				s, err := mcp.New(config, grouped()...)
				if err != nil {
					t.Fatal(err)
				}
				h := s.Bind(caller, nil)
				if tt.want != "" || where == "caller" {
					if got := listedNames(t, h); got != tt.want {
						t.Errorf("%s: got %q, want %q", where, got, tt.want)
					}
				}
				got := ask(t, h, "tools/call", `{"name":"house/dig"}`)
				if on := slices.Contains(strings.Fields(tt.want), "dig"); on != strings.Contains(got, "done") ||
					!on && (tt.want != "" || where == "caller") && (!strings.Contains(got, "-32602") || !strings.Contains(got, "house/cellar")) {
					t.Errorf("%s: house/dig answers %s", where, got)
				}
				config.Tools, caller.Tools = tt.selection, nil
			}
		})
	}
	for _, wrong := range []host.ToolSelection{{Toolsets: []string{"attic"}}, {Toolsets: []string{"garden/cellar"}}, {Tools: []string{"look"}}} {
		if _, err := mcp.New(mcp.Config{Name: "test", Version: "1", Tools: wrong}, grouped()...); err == nil {
			t.Errorf("a server was made with %v", wrong)
		}
	}
}

// TestOutputSchemasByConfig lists tools with each setting, for a client that asks
// for the schemas of answers and one that does not. Answers have the structured
// content in any case.
func TestOutputSchemasByConfig(t *testing.T) {
	const asks = `{"experimental":{"io.github.triptych-mcp/output-schemas":{}}}`
	for _, tt := range []struct {
		mode         host.OutputSchemas
		capabilities string
		want         bool
	}{
		{host.OutputSchemasAlways, "{}", true},
		{host.OutputSchemasWhenAsked, "{}", false},
		{host.OutputSchemasWhenAsked, asks, true},
		{host.OutputSchemasNever, asks, false},
	} {
		s, err := mcp.New(mcp.Config{Name: "test", Version: "1", OutputSchemas: tt.mode}, grouped()...)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second list is a cached one
			h := s.Bind(host.Caller{Connection: true}, nil)
			initialize(t, h, "2025-11-25", tt.capabilities)
			if got := strings.Contains(ask(t, h, "tools/list", ""), "outputSchema"); got != tt.want {
				t.Errorf("mode %d, capabilities %s: outputSchema is listed: %t, want %t", tt.mode, tt.capabilities, got, tt.want)
			}
			if got := ask(t, h, "tools/call", `{"name":"house_look"}`); !strings.Contains(got, "structuredContent") {
				t.Errorf("mode %d: got %s", tt.mode, got)
			}
		}
	}
}

// TestToolsetsOfAPrincipal lists tools for keys with toolsets, one after the other
// on one server, which keeps a list for each.
func TestToolsetsOfAPrincipal(t *testing.T) {
	s, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, grouped()...)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, tt := range []struct {
			sets []string
			want string
		}{{nil, "look paint dig plant"}, {[]string{"garden"}, "plant"}, {[]string{"cellar", "garden"}, "dig plant"}} {
			h := s.Bind(host.Caller{Principal: host.Principal{ID: "key", Toolsets: tt.sets}}, nil)
			if got := listedNames(t, h); got != tt.want {
				t.Errorf("toolsets %q: got %q, want %q", tt.sets, got, tt.want)
			}
			if got := ask(t, h, "tools/call", `{"name":"house/look"}`); strings.Contains(got, "house/core") != (tt.sets != nil) {
				t.Errorf("toolsets %q: a call of house/look answers %s", tt.sets, got)
			}
		}
	}
}
