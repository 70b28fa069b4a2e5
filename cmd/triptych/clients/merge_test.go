package clients_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
)

var small = clients.Entry{Name: "triptych", Command: "/bin/triptych", Args: []string{"stdio"}}

func TestMerge(t *testing.T) {
	withEnv := small
	withEnv.Env = map[string]string{"LOG_LEVEL": "debug", "A": "1"}
	tests := []struct {
		name, client string
		entry        clients.Entry
		old, want    string
	}{
		{
			"beside other servers, comments and order kept", "vscode", small,
			`{
	// servers of this project
	"inputs": [], /* none */
	"servers": {
		"other": {"command": "x"} // ours
	},
	"z": 1, "a": 2
}
`,
			`{
	// servers of this project
	"inputs": [], /* none */
	"servers": {
		"other": {"command": "x"}, // ours
		"triptych": {
			"type": "stdio",
			"command": "/bin/triptych",
			"args": [
				"stdio"
			]
		}
	},
	"z": 1, "a": 2
}
`,
		},
		{
			"into a file without servers", "cursor", small,
			"{\n    \"theme\": \"dark\"\n}",
			"{\n    \"theme\": \"dark\",\n    \"mcpServers\": {\n        \"triptych\": {\n            \"command\": \"/bin/triptych\",\n            \"args\": [\n                \"stdio\"\n            ]\n        }\n    }\n}",
		},
		{
			"an entry keeps what was added to it", "cline", small,
			`{"mcpServers": {"triptych": {"disabled": true, "command": "/old", "args": ["stdio"], "autoApprove": ["get_ruleset"]}}}`,
			`{"mcpServers": {"triptych": {"disabled": true, "command": "/bin/triptych", "args": ["stdio"], "autoApprove": ["get_ruleset"]}}}`,
		},
		{
			"trailing commas stay", "zed", small,
			"{\n  \"context_servers\": {},\n}\n",
			"{\n  \"context_servers\": {\n    \"triptych\": {\n      \"command\": \"/bin/triptych\",\n      \"args\": [\n        \"stdio\"\n      ]\n    }\n  },\n}\n",
		},
		{
			"Windows line ends stay, a byte-order mark goes", "opencode", small,
			"\uFEFF{\r\n  \"mcp\": {}\r\n}\r\n",
			"{\r\n  \"mcp\": {\r\n    \"triptych\": {\r\n      \"type\": \"local\",\r\n      \"command\": [\r\n        \"/bin/triptych\",\r\n        \"stdio\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n",
		},
		{
			"variables join those that are there", "gemini-cli", withEnv,
			`{"mcpServers": {"triptych": {"command": "/bin/triptych", "args": ["stdio"], "env": {"B": "2", "A": "0"}}}}`,
			"{\"mcpServers\": {\"triptych\": {\"command\": \"/bin/triptych\", \"args\": [\"stdio\"], \"env\": {\"B\": \"2\", \"A\": \"1\",\n        \"LOG_LEVEL\": \"debug\"\n      }}}}",
		},
		{"a new file", "cursor", small, " \n", string(mustFind("cursor").Render(small))},
		{
			"TOML beside other tables", "codex", small,
			`# my settings
model = "o9" # fast

[mcp_servers.other]
command = "x"
args = ["[mcp_servers.triptych]"]

[tui]
note = """
[mcp_servers.triptych]
command = "no"
"""
`,
			`# my settings
model = "o9" # fast

[mcp_servers.other]
command = "x"
args = ["[mcp_servers.triptych]"]

[tui]
note = """
[mcp_servers.triptych]
command = "no"
"""

[mcp_servers.triptych]
command = "/bin/triptych"
args = ["stdio"]
`,
		},
		{
			"a TOML table keeps what was added to it", "codex", small,
			`[ mcp_servers . "triptych" ]
startup_timeout_sec = 20
command = '/old' # where it was
args = [ # all of them
  "stdio", "--data", "]",
]
enabled = true
[mcp_servers.triptych.env]
X = "1"
`,
			`[ mcp_servers . "triptych" ]
startup_timeout_sec = 20
command = "/bin/triptych" # where it was
args = ["stdio"]
enabled = true
[mcp_servers.triptych.env]
X = "1"
`,
		},
		{
			"missing keys go to the end of their TOML table", "codex", withEnv,
			"[mcp_servers.triptych]\r\nenabled = false\r\n\r\n# next\r\n[tui]\r\n",
			"[mcp_servers.triptych]\r\nenabled = false\r\ncommand = \"/bin/triptych\"\r\nargs = [\"stdio\"]\r\nenv = { A = \"1\", LOG_LEVEL = \"debug\" }\r\n\r\n# next\r\n[tui]\r\n",
		},
		{
			"variables join those of a TOML table", "codex", withEnv,
			"[mcp_servers.triptych]\ncommand = \"/bin/triptych\"\nargs = [\"stdio\"]\n[mcp_servers.triptych.env]\nA = \"0\"\nB = \"2\"",
			"[mcp_servers.triptych]\ncommand = \"/bin/triptych\"\nargs = [\"stdio\"]\n[mcp_servers.triptych.env]\nA = \"1\"\nB = \"2\"\nLOG_LEVEL = \"debug\"\n",
		},
		{
			"variables join those of an inline table", "codex", withEnv,
			"[mcp_servers.triptych]\nenv = { B = \"2\" }\n",
			"[mcp_servers.triptych]\nenv = { B = \"2\", A = \"1\", LOG_LEVEL = \"debug\" }\ncommand = \"/bin/triptych\"\nargs = [\"stdio\"]\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := find(t, tt.client)
			got, err := c.Merge([]byte(tt.old), tt.entry)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			again, err := c.Merge(got, tt.entry)
			if err != nil || string(again) != string(got) {
				t.Errorf("the second merge changed it (%v):\n%s", err, cmp.Diff(string(got), string(again)))
			}
		})
	}
}

func TestMergeRefuses(t *testing.T) {
	tests := []struct{ name, client, old, reason string }{
		{"broken JSON", "cursor", "{\n  \"mcpServers\": {\n", "line 3"},
		{"an array", "cursor", "[]", "the file is not an object"},
		{"servers that are a list", "vscode", `{"servers": []}`, `"servers" is not an object`},
		{"an entry that is a string", "zed", `{"context_servers": {"triptych": "no"}}`, `"context_servers.triptych" is not an object`},
		{"broken TOML", "codex", "a = 1\nb = \n", "line 2"},
		{"TOML servers that are a list", "codex", "mcp_servers = []\n", `"mcp_servers" is not a table`},
		{"an inline TOML table", "codex", "mcp_servers = { other = { command = \"x\" } }\n", "by hand"},
		{"dotted TOML keys", "codex", "[mcp_servers]\ntriptych.enabled = true\n", "by hand"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := find(t, tt.client).Merge([]byte(tt.old), small)
			if _, ok := errors.AsType[*clients.InvalidError](err); !ok || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("got %q, %v, want an InvalidError with %q", got, err, tt.reason)
			}
		})
	}
}

// Whatever the file looks like, a merge is refused or leads to a file in which
// the client finds the program.
func FuzzMergeTOML(f *testing.F) {
	for _, seed := range []string{
		"", "a=1", "[mcp_servers.triptych]\ncommand='x'", "[[a]]\nb=\"\"\"x\"\"\"\"\n", "mcp_servers.x.y = {a=[1,{b=']'}]} # c",
		"[mcp_servers]\n[mcp_servers.triptych]\n\"command\"=1", "\uFEFF[a]\r\nb=1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, old string) { checkMerge(t, "codex", old) })
}

// The same for JSON with comments.
func FuzzMergeJSON(f *testing.F) {
	for _, seed := range []string{
		"{}", `{"mcpServers":{}}`, `{/**/"mcpServers":{"a":1,},// x` + "\n}", `{"mcpServers":{"triptych":{"command":null}}}`, "\uFEFF{}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, old string) { checkMerge(t, "cursor", old) })
}

func checkMerge(t *testing.T, client, old string) {
	t.Helper()
	c := mustFind(client)
	merged, err := c.Merge([]byte(old), small)
	if err != nil {
		return
	}
	command, err := c.Command(merged, "triptych")
	if err != nil || command != small.Command {
		t.Fatalf("merged into\n%s\nfound %q, %v", merged, command, err)
	}
	again, err := c.Merge(merged, small)
	if err != nil || string(again) != string(merged) {
		t.Fatalf("merging again: %v\n%s", err, again)
	}
}

// The merged files are judged by decoders that had no part in the edit.
func TestMergedFilesDecode(t *testing.T) {
	for _, c := range clients.All() {
		text, err := c.Merge([]byte("\n"), entry)
		if err != nil {
			t.Fatal(err)
		}
		decode := json.Unmarshal
		if c.Name == "codex" {
			decode = toml.Unmarshal
		}
		var all map[string]any
		if err := decode(text, &all); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}

func mustFind(name string) clients.Client {
	c, err := clients.Find(name)
	if err != nil {
		panic(err)
	}
	return c
}
