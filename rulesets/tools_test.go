package rulesets

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/internal/memstore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A house is the family on a store of its own, with a clock.
type house struct {
	t       *testing.T
	now     time.Time
	store   ruleset.Store
	handler *mcp.Handler
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC)}
	h.store = memstore.New(func() time.Time { return h.now })
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, newTools(h.store, LabelRules{}, Scan{mode: "warn"}, slog.New(slog.DiscardHandler)).table())
	if err != nil {
		t.Fatal(err)
	}
	h.handler = server.Bind(host.Caller{Principal: host.Local(), Connection: true}, nil)
	return h
}

func (h *house) ask(method, params string) string {
	h.t.Helper()
	req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: method, Params: []byte(params)}
	return string(jsonrpc.Answer(h.t.Context(), h.handler, &req, nil))
}

// call calls a tool and returns its text, and whether it is an error's.
func (h *house) call(tool, arguments string) (text string, isError bool) {
	h.t.Helper()
	texts, isError := h.contents(tool, arguments)
	if len(texts) != 1 {
		h.t.Fatalf("%s %s: %q", tool, arguments, texts)
	}
	return texts[0], isError
}

// texts calls a tool, which must succeed, and returns the texts of its answer.
func (h *house) texts(tool, arguments string) []string {
	h.t.Helper()
	texts, isError := h.contents(tool, arguments)
	if isError {
		h.t.Fatalf("%s %s: %q", tool, arguments, texts)
	}
	return texts
}

func (h *house) contents(tool, arguments string) (texts []string, isError bool) {
	h.t.Helper()
	raw := h.ask("tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`)
	var answer struct {
		Result struct {
			Content []struct{ Type, Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal([]byte(raw), &answer); err != nil {
		h.t.Fatalf("%s %s: %s, %v", tool, arguments, raw, err)
	}
	for _, c := range answer.Result.Content {
		texts = append(texts, c.Text)
	}
	return texts, answer.Result.IsError
}

func (h *house) expect(tool, arguments, want string, wantError bool) {
	h.t.Helper()
	text, isError := h.call(tool, arguments)
	if diff := cmp.Diff(want, text); diff != "" || isError != wantError {
		h.t.Errorf("%s %s: isError %t (-want +got):\n%s", tool, arguments, isError, diff)
	}
}

// TestDocument walks through the family's document: its requests, its texts.
func TestDocument(t *testing.T) {
	h := open(t)
	h.expect("list_rulesets", `{}`, "No rulesets found", false)
	h.expect("create_ruleset", `{"name":"python_style_guide","description":"Python coding style guidelines for team projects",
		"tags":["python","style","pep8"],"markdown":"# Python Style Guide\n\n## Naming Conventions"}`,
		"Successfully created ruleset 'python_style_guide'", false)
	h.expect("get_ruleset", `{"name":"python_style_guide"}`, "---\nname: python_style_guide\ndescription: Python coding style guidelines for team projects\n"+
		"tags: [python style pep8]\ncreated_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\n# Python Style Guide\n\n## Naming Conventions", false)
	h.now = time.Date(2025, 10, 29, 11, 0, 0, 0, time.UTC)
	h.expect("create_ruleset", `{"name":"go_conventions","description":"Go coding conventions and best practices","markdown":"x","tags":["go","conventions"]}`,
		"Successfully created ruleset 'go_conventions'", false)
	h.expect("create_ruleset", `{"name":"python_style_guide","description":"x","markdown":"x"}`,
		"failed to create ruleset: ruleset 'python_style_guide' already exists. Please choose a different name. Existing rulesets: [python_style_guide, go_conventions]", true)
	h.expect("create_ruleset", `{"name":"Python-Style","description":"x","markdown":"x"}`,
		"failed to create ruleset: invalid ruleset name 'Python-Style': must use snake_case (lowercase letters, numbers, and underscores only)", true)
	h.expect("get_ruleset", `{"name":"nonexistent"}`, "failed to retrieve ruleset: ruleset 'nonexistent' not found", true)
	h.now = time.Date(2025, 10, 29, 15, 45, 0, 0, time.UTC)
	h.expect("update_ruleset", `{"name":"python_style_guide","tags":["python"]}`, "Successfully updated ruleset 'python_style_guide'", false)
	h.expect("update_ruleset", `{"name":"nonexistent","tags":[]}`, "failed to update ruleset: ruleset 'nonexistent' not found", true)
	h.expect("list_rulesets", `{}`, "Found 2 ruleset(s):\n\n"+
		"- **python_style_guide**: Python coding style guidelines for team projects\n  Tags: [python]\n  Created: 2025-10-29 10:30:00, Modified: 2025-10-29 15:45:00\n\n"+
		"- **go_conventions**: Go coding conventions and best practices\n  Tags: [go conventions]\n  Created: 2025-10-29 11:00:00, Modified: 2025-10-29 11:00:00\n\n", false)
	h.expect("search_rulesets", `{"pattern":"*go*"}`, "Found 1 ruleset(s) matching '*go*':\n\n"+
		"- **go_conventions**: Go coding conventions and best practices\n  Tags: [go conventions]\n  Created: 2025-10-29 11:00:00, Modified: 2025-10-29 11:00:00\n\n", false)
	h.expect("search_rulesets", `{"pattern":"nonexistent*"}`, "No rulesets found matching pattern 'nonexistent*'", false)
	h.expect("delete_ruleset", `{"name":"nonexistent"}`,
		"failed to delete ruleset: ruleset 'nonexistent' not found. Existing rulesets: [python_style_guide, go_conventions]", true)
	h.expect("delete_ruleset", `{"name":"go_conventions"}`, "Successfully deleted ruleset 'go_conventions'", false)
}

func TestResource(t *testing.T) {
	h := open(t)
	h.call("create_ruleset", `{"name":"a","description":"d","tags":["x","y"],"markdown":"text"}`)
	got := h.ask("resources/read", `{"uri":"ruleset://a"}`)
	want := `{"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"ruleset://a","mimeType":"text/markdown","text":"---\nname: a\ndescription: d\ntags: [x, y]\n` +
		`created_at: 2025-10-29 10:30:00\nlast_modified: 2025-10-29 10:30:00\n---\n\ntext"}]}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("resource (-want +got):\n%s", diff)
	}
	got = h.ask("resources/read", `{"uri":"ruleset://nonexistent"}`)
	want = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"failed to retrieve ruleset: ruleset 'nonexistent' not found"}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unknown resource (-want +got):\n%s", diff)
	}
	if got := h.ask("completion/complete", `{"ref":{"type":"ref/resource","uri":"ruleset://{name}"},"argument":{"name":"name","value":""}}`); !strings.Contains(got, `{"values":["a"],"total":1,"hasMore":false}`) {
		t.Errorf("completion %s", got)
	}
}

func TestWrongArguments(t *testing.T) {
	h := open(t)
	for arguments, want := range map[string]string{
		`{}`:                              "missing required parameter 'name': a string is required",
		`{"name":1}`:                      "name must be a string",
		`{"name":"a","nane":"b"}`:         `unknown argument "nane"; did you mean "name"?`,
		`{"name":"a"}`:                    "failed to update ruleset: nothing to update: give at least one of description, tags and markdown",
		`{"name":"a","tags":"x"}`:         "tags must be an array",
		`{"name":"_a","description":"x"}`: "failed to update ruleset: invalid ruleset name '_a': must use snake_case (lowercase letters, numbers, and underscores only)",
	} {
		h.expect("update_ruleset", arguments, want, true)
	}
}
