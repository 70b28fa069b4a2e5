package clients_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
)

var entry = clients.Entry{
	Name:    "triptych",
	Command: "/opt/tript & co/triptych",
	Args:    []string{"stdio", "--families", "aoc"},
}

// where is a machine on which no variable moves anything.
func where(goos string) clients.Where {
	return clients.Where{GOOS: goos, Home: "/home/ada", Dir: "/src/app", Getenv: func(string) string { return "" }}
}

// The places agree with each client's own documentation.
func TestPath(t *testing.T) {
	tests := []struct {
		client string
		scope  clients.Scope
		goos   string
		want   string
	}{
		{"claude-code", "", "linux", "/src/app/.mcp.json"},
		{"claude-code", clients.User, "darwin", "/home/ada/.claude.json"},
		{"claude-desktop", "", "darwin", "/home/ada/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "", "linux", "/home/ada/.config/Claude/claude_desktop_config.json"},
		{"claude-desktop", "", "windows", "/home/ada/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"vscode", "", "linux", "/src/app/.vscode/mcp.json"},
		{"vscode", clients.User, "linux", "/home/ada/.config/Code/User/mcp.json"},
		{"cursor", clients.Project, "linux", "/src/app/.cursor/mcp.json"},
		{"cursor", clients.User, "windows", "/home/ada/.cursor/mcp.json"},
		{"windsurf", "", "linux", "/home/ada/.codeium/windsurf/mcp_config.json"},
		{"gemini-cli", "", "linux", "/src/app/.gemini/settings.json"},
		{"codex", clients.User, "linux", "/home/ada/.codex/config.toml"},
		{"zed", clients.User, "darwin", "/home/ada/.config/zed/settings.json"},
		{"opencode", "", "linux", "/src/app/opencode.json"},
		{"cline", "", "linux", "/home/ada/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
	}
	for _, tt := range tests {
		t.Run(tt.client+"/"+string(tt.scope)+"/"+tt.goos, func(t *testing.T) {
			got, err := find(t, tt.client).Path(tt.scope, where(tt.goos))
			if err != nil {
				t.Fatal(err)
			}
			if filepath.ToSlash(got) != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPathFollowsTheEnvironment(t *testing.T) {
	w := where("linux")
	w.Getenv = func(name string) string {
		return map[string]string{"CODEX_HOME": "/cfg/codex", "XDG_CONFIG_HOME": "/cfg", "CLAUDE_CONFIG_DIR": "/cfg/claude"}[name]
	}
	for client, want := range map[string]string{
		"codex":       "/cfg/codex/config.toml",
		"vscode":      "/cfg/Code/User/mcp.json",
		"claude-code": "/cfg/claude/.claude.json",
	} {
		got, err := find(t, client).Path(clients.User, w)
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", client, got, err, want)
		}
	}
}

func TestPathRefusesAScopeThatIsNotThere(t *testing.T) {
	_, err := find(t, "claude-desktop").Path(clients.Project, where("linux"))
	if _, ok := errors.AsType[*clients.ScopeError](err); !ok {
		t.Fatalf("got %v, want a ScopeError", err)
	}
}

func TestFindUnknown(t *testing.T) {
	_, err := clients.Find("emacs")
	unknown, ok := errors.AsType[*clients.UnknownError](err)
	if !ok || len(unknown.Known) != len(clients.All()) {
		t.Fatalf("got %v, want an UnknownError that names all clients", err)
	}
}

// What a person would paste, as each client's documentation shows it.
func TestRender(t *testing.T) {
	const common = `{
  "mcpServers": {
    "triptych": {
      "command": "/opt/tript & co/triptych",
      "args": [
        "stdio",
        "--families",
        "aoc"
      ]
    }
  }
}
`
	tests := map[string]string{
		"claude-desktop": common, "cursor": common, "windsurf": common, "gemini-cli": common, "cline": common,
		"claude-code": `{
  "mcpServers": {
    "triptych": {
      "type": "stdio",
      "command": "/opt/tript & co/triptych",
      "args": [
        "stdio",
        "--families",
        "aoc"
      ]
    }
  }
}
`,
		"vscode": `{
  "servers": {
    "triptych": {
      "type": "stdio",
      "command": "/opt/tript & co/triptych",
      "args": [
        "stdio",
        "--families",
        "aoc"
      ]
    }
  }
}
`,
		"zed": `{
  "context_servers": {
    "triptych": {
      "command": "/opt/tript & co/triptych",
      "args": [
        "stdio",
        "--families",
        "aoc"
      ]
    }
  }
}
`,
		"opencode": `{
  "mcp": {
    "triptych": {
      "type": "local",
      "command": [
        "/opt/tript & co/triptych",
        "stdio",
        "--families",
        "aoc"
      ]
    }
  }
}
`,
		"codex": `[mcp_servers.triptych]
command = "/opt/tript & co/triptych"
args = ["stdio", "--families", "aoc"]
`,
	}
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			if diff := cmp.Diff(tests[c.Name], string(c.Render(entry))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Every client finds again what it rendered and merged.
func TestCommandFindsTheEntry(t *testing.T) {
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			got, err := c.Command(c.Render(entry), "triptych")
			if err != nil || got != entry.Command {
				t.Errorf("got %q, %v", got, err)
			}
			if got, err := c.Command(c.Render(entry), "other"); err != nil || got != "" {
				t.Errorf("other: got %q, %v, want nothing", got, err)
			}
			if got, err := c.Command(nil, "triptych"); err != nil || got != "" {
				t.Errorf("no file: got %q, %v, want nothing", got, err)
			}
		})
	}
}

func find(t *testing.T, name string) clients.Client {
	t.Helper()
	c, err := clients.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The shapes of a server that is reached by its URL, as each client documents
// them: code.claude.com/docs/en/mcp, code.visualstudio.com/docs/copilot/reference/mcp-configuration,
// cursor.com/docs/context/mcp, docs.windsurf.com, geminicli.com/docs/tools/mcp-server,
// developers.openai.com/codex/mcp, opencode.ai/docs/mcp-servers, docs.cline.bot/mcp. Zed
// and Claude Desktop have no notation for a variable in a header: github.com/geelen/mcp-remote.
func TestRenderRemote(t *testing.T) {
	const bridge = `{"command":"npx","args":["-y","mcp-remote","https://rules.example.com/mcp","--header","Authorization:Bearer ${RULES_KEY}"]}`
	tests := map[string]string{
		"claude-code":    `{"type":"http","url":"https://rules.example.com/mcp","headers":{"Authorization":"Bearer ${RULES_KEY}"}}`,
		"claude-desktop": bridge,
		"vscode":         `{"type":"http","url":"https://rules.example.com/mcp","headers":{"Authorization":"Bearer ${env:RULES_KEY}"}}`,
		"cursor":         `{"url":"https://rules.example.com/mcp","headers":{"Authorization":"Bearer ${env:RULES_KEY}"}}`,
		"windsurf":       `{"serverUrl":"https://rules.example.com/mcp","headers":{"Authorization":"Bearer ${env:RULES_KEY}"}}`,
		"gemini-cli":     `{"httpUrl":"https://rules.example.com/mcp","headers":{"Authorization":"Bearer $RULES_KEY"}}`,
		"zed":            bridge,
		"opencode":       `{"type":"remote","url":"https://rules.example.com/mcp","headers":{"Authorization":"Bearer {env:RULES_KEY}"}}`,
		"cline":          `{"type":"streamableHttp","url":"https://rules.example.com/mcp","headers":{"Authorization":"Bearer ${env:RULES_KEY}"}}`,
	}
	remote := clients.Entry{Name: "team", URL: "https://rules.example.com/mcp", KeyEnv: "RULES_KEY"}
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			file := c.Render(remote)
			if c.Name == "codex" {
				want := "[mcp_servers.team]\nurl = \"https://rules.example.com/mcp\"\nbearer_token_env_var = \"RULES_KEY\"\n"
				if diff := cmp.Diff(want, string(file)); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				return
			}
			var got map[string]map[string]json.RawMessage
			if err := json.Unmarshal(file, &got); err != nil {
				t.Fatal(err)
			}
			for _, servers := range got {
				var short bytes.Buffer
				if err := json.Compact(&short, servers["team"]); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tests[c.Name], short.String()); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
}

// An entry of one kind is not laid over one of the other, and both are found again.
func TestMergeKeepsKinds(t *testing.T) {
	remote := clients.Entry{Name: "triptych", URL: "https://rules.example.com/mcp", KeyEnv: "RULES_KEY"}
	for _, c := range clients.All() {
		t.Run(c.Name, func(t *testing.T) {
			if twice, err := c.Merge(c.Render(remote), remote); err != nil || string(twice) != string(c.Render(remote)) {
				t.Errorf("merging twice: %v\n%s", err, twice)
			}
			if c.Name == "claude-desktop" || c.Name == "zed" {
				return // both kinds start a program
			}
			if url, err := c.URL(c.Render(remote), "triptych"); err != nil || url != remote.URL {
				t.Errorf("URL = %q, %v", url, err)
			}
			for _, pair := range [][2]clients.Entry{{entry, remote}, {remote, entry}} {
				var invalid *clients.InvalidError
				if _, err := c.Merge(c.Render(pair[0]), pair[1]); !errors.As(err, &invalid) {
					t.Errorf("Merge returned %v, want an InvalidError", err)
				}
			}
		})
	}
}
