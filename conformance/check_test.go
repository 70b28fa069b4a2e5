package conformance

import (
	"path/filepath"
	"strings"
	"testing"
)

// Each row is something that a server must not say, and the reason.
func TestCheckerFindsWhatIsWrong(t *testing.T) {
	for _, tc := range []struct{ name, revision, asks, says, want string }{
		{
			"right", "2024-11-05", `{"id":1,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, "",
		},
		{
			"a result without its members", "2024-11-05", `{"id":1,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`, "missing property 'tools'",
		},
		{
			"the result of another method", "2025-06-18", `{"id":1,"method":"prompts/list"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, "missing property 'prompts'",
		},
		{
			"an unknown content item", "2025-03-26", `{"id":"a","method":"tools/call"}`,
			`{"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"blob","blob":"AA=="}]}}`, "/content/0",
		},
		{
			"a sound before there were sounds", "2024-11-05", `{"id":1,"method":"tools/call"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`, "/content/0",
		},
		{
			"a sound later", "2025-03-26", `{"id":1,"method":"tools/call"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}}`, "",
		},
		{
			"no resultType", "2026-07-28", `{"id":1,"method":"tools/call"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, "resultType",
		},
		{
			"a list without cache hints", "2026-07-28", `{"id":1,"method":"tools/list"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":[],"resultType":"complete"}}`, "'cacheScope'",
		},
		{
			"a method that is gone", "2026-07-28", `{"id":1,"method":"initialize"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}`, "2026-07-28 has no InitializeResult",
		},
		{
			"a question instead of an answer", "2026-07-28", `{"id":1,"method":"tools/call"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":7}}`, "/requestState",
		},
		{
			"an unknown id", "2025-11-25", `{"id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":"1","result":{}}`, `no pending request has the id "1"`,
		},
		{
			"an error for an unknown id", "2025-11-25", `{"id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}`, "no pending request has the id 2",
		},
		{
			"a second answer", "2025-03-26", `[{"id":1,"method":"ping"}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}]`, "no pending request has the id 1",
		},
		{
			"an answer to a notification", "2025-03-26", `{"method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`, "no pending request has the id 1",
		},
		{
			"the id null", "2025-11-25", `{`,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, "/id",
		},
		{
			"no id, old", "2024-11-05", `{`,
			`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`, "",
		},
		{
			"no id, new", "2026-07-28", `{`,
			`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`, "",
		},
		{
			"an error without a message", "2025-06-18", `{"id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}`, "missing property 'message'",
		},
		{
			"an error without its data", "2026-07-28", `{"id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"no","data":{"supported":[]}}}`, "'requested'",
		},
		{
			"a notification of another revision", "2025-11-25", ``,
			`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{}}}`,
			"2025-11-25 has no Subscriptions",
		},
		{
			"an unknown notification", "2025-11-25", ``,
			`{"jsonrpc":"2.0","method":"notifications/news"}`, "no revision lets a server send notifications/news",
		},
		{
			"a notification without its params", "2025-03-26", ``,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}`, "missing property 'uri'",
		},
		{
			"the second of a batch", "2025-03-26", `[{"id":1,"method":"ping"},{"id":2,"method":"tools/list"}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`, "missing property 'tools'",
		},
		{
			"a template that is none", "2024-11-05", `{"id":1,"method":"resources/templates/list"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"name":"a","uriTemplate":"a://{b"}]}}`, "RFC 6570",
		},
		{
			"a template", "2026-07-28", `{"id":1,"method":"resources/templates/list"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"name":"a","uriTemplate":"a://{b}/{?c,d*,e:3}"}],` +
				`"resultType":"complete","ttlMs":0,"cacheScope":"private"}}`, "",
		},
		{
			"bytes that are no base64", "2025-11-25", `{"id":1,"method":"resources/read"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a:b","blob":"A"}]}}`, "/contents/0",
		},
		{
			"a URI that is none", "2025-11-25", `{"id":1,"method":"resources/read"}`,
			`{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"a b","text":"A"}]}}`, "is not valid uri",
		},
		{"another version of JSON-RPC", "2025-03-26", `{"id":1,"method":"ping"}`, `{"jsonrpc":"1.0","id":1,"result":{}}`, "/jsonrpc"},
		{"no JSON", "2025-03-26", ``, `Server listening.`, "invalid message"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema, err := openSchema(tc.revision)
			if err != nil {
				t.Fatal(err)
			}
			w := newChecker(schema)
			w.Sent(tc.asks)
			if err := w.Received(tc.says); (tc.want == "") != (err == nil) || !strings.Contains(text(err), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

// A conversation in the folder of a revision is checked against its schema.
func TestCheckerFor(t *testing.T) {
	for path, want := range map[string]bool{
		"revisions/2025-11-25/tools.txtar": true, "revisions/2026-07-28/tools.txtar": true,
		"revisions/baseline/tools.txtar": false, "revisions/eras.txtar": false, "contract/aoc/tools.txtar": false,
	} {
		if got := checkerFor(t, filepath.FromSlash(path)) != nil; got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

// Every definition that the tables name is in one of the schemas at least, and
// compiles in each that has it.
func TestTablesNameDefinitions(t *testing.T) {
	names := map[string]bool{}
	for _, table := range []map[string]string{results, said} {
		for _, name := range table {
			names[name] = false
		}
	}
	for _, name := range failures {
		names[name] = false
	}
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		schema, err := openSchema(revision)
		if err != nil {
			t.Fatal(err)
		}
		for name := range names {
			if !schema.has(name) {
				continue
			}
			names[name] = true
			if _, err := schema.definition(name); err != nil {
				t.Errorf("%s: %v", revision, err)
			}
		}
	}
	for name, found := range names {
		if !found {
			t.Errorf("no schema has %s", name)
		}
	}
}

func TestCheckerHoldsToolsToTheirOutput(t *testing.T) {
	const listed = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"},` +
		`"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}]}}`
	for _, tc := range []struct{ name, result, want string }{
		{"right", `"structuredContent":{"n":1}`, ""},
		{"the largest integer", `"structuredContent":{"n":9007199254740990,"m":[{"a":1.5e300}]}`, ""},
		{"an integer that hosts round", `"structuredContent":{"n":1,"m":[{"a":-9007199254740993}]}`, "round the integer -9007199254740993"},
		{"another type", `"structuredContent":{"n":"1"}`, "structured content of t"},
		{"none", `"_meta":{}`, "no structured content"},
		{"none, but it failed", `"isError":true`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema, err := openSchema("2025-06-18")
			if err != nil {
				t.Fatal(err)
			}
			w := newChecker(schema)
			w.Sent(`{"id":1,"method":"tools/list"}`)
			if err := w.Received(listed); err != nil {
				t.Fatal(err)
			}
			w.Sent(`{"id":2,"method":"tools/call","params":{"name":"t"}}`)
			err = w.Received(`{"jsonrpc":"2.0","id":2,"result":{"content":[],` + tc.result + `}}`)
			if (tc.want == "") != (err == nil) || !strings.Contains(text(err), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}
