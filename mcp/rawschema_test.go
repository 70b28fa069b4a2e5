package mcp_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// What is true or false in the schema of a raw tool is an object for clients
// whose revision knows no booleans there (their schema.json has
// "additionalProperties": {"type": "object"} below properties). Data that looks
// like a schema stays.
func TestBooleanSchemas(t *testing.T) {
	const written = `{"type":"object","properties":{"any":true,"never":false,"list":{"type":"array","items":false},` +
		`"deep":{"type":"object","properties":{"x":true},"additionalProperties":false,"default":{"properties":{"x":true}}},` +
		`"one":{"anyOf":[true,{"type":"string"}],"items":[true,false]},"open":{"additionalProperties":{"properties":{"y":false}}}},` +
		`"$defs":{"t":true},"additionalProperties":true,"required":["any"]}`
	const plain = `{"type":"object","properties":{"any":{},"never":{"not":{}},"list":{"type":"array","items":{"not":{}}},` +
		`"deep":{"type":"object","properties":{"x":{}},"additionalProperties":false,"default":{"properties":{"x":true}}},` +
		`"one":{"anyOf":[{},{"type":"string"}],"items":[{},{"not":{}}]},"open":{"additionalProperties":{"properties":{"y":{"not":{}}}}}},` +
		`"$defs":{"t":{}},"additionalProperties":true,"required":["any"]}`
	raw := &mcp.Table{Family: "raw", Tools: []mcp.Tool{{
		Name: "raw", Doc: "Has a schema of its own",
		Call: mcp.Raw(written, func(context.Context, *mcp.Call, []byte) (*mcp.Result, error) { return &mcp.Result{}, nil }),
	}}}
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range host.Revisions() {
		h := server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
		params, want := "{}", plain
		switch {
		case rev.Modern:
			params, want = "{"+withoutTasks+"}", written
		case rev.Name != "":
			initialize(t, h, rev.Name, "{}")
		}
		var list struct {
			Tools []struct{ InputSchema json.RawMessage }
		}
		if err := json.Unmarshal([]byte(ask(t, h, "tools/list", params)), &list); err != nil || len(list.Tools) != 1 {
			t.Fatalf("%q: %v", rev.Name, err)
		}
		if got := string(list.Tools[0].InputSchema); got != want {
			t.Errorf("%q: got  %s\nwant %s", rev.Name, got, want)
		}
	}
}

// A schema that is no object is a mistake of the table.
func TestRawSchemaIsAnObject(t *testing.T) {
	for _, schema := range []string{`true`, `[]`, `{`, ``} {
		tool := mcp.Tool{Name: "raw", Call: mcp.Raw(schema, func(context.Context, *mcp.Call, []byte) (*mcp.Result, error) { return nil, nil })}
		if _, err := mcp.New(mcp.Config{}, &mcp.Table{Family: "raw", Tools: []mcp.Tool{tool}}); err == nil {
			t.Errorf("%q is taken for the schema of arguments", schema)
		}
	}
}
