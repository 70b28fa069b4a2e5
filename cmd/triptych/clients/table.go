package clients

import (
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// All are the known clients, in the order that help shows them.
func All() []Client { return slices.Clone(table) }

// Names are the names of all clients.
func Names() []string {
	names := make([]string, len(table))
	for i, c := range table {
		names[i] = c.Name
	}
	return names
}

// Find is the client of that name, or of one that pull knows it by, or an [*UnknownError].
func Find(name string) (Client, error) {
	i := slices.IndexFunc(table, func(c Client) bool { return c.Name == name })
	if i < 0 {
		same := editors.Canonical(name)
		i = slices.IndexFunc(table, func(c Client) bool { return editors.Canonical(c.Name) == same })
	}
	if i < 0 {
		return Client{}, &UnknownError{Name: name, Known: Names(), Near: near(name)}
	}
	return table[i], nil
}

// near returns the client that a misspelled name is nearest to, "" if it is near to none.
func near(name string) string {
	meant := editors.Similar(name)
	i := slices.IndexFunc(table, func(c Client) bool { return meant != "" && editors.Canonical(c.Name) == meant })
	if i < 0 {
		return ""
	}
	return table[i].Name
}

// home is a file at the same place below the home folder on every system.
func home(path string) files {
	return files{linux: "~/" + path, darwin: "~/" + path, windows: "~/" + path}
}

// electron is a file below the folder that Electron calls appData.
func electron(path string) files {
	return files{linux: "$CONFIG/" + path, darwin: "$SUPPORT/" + path, windows: "$APPDATA/" + path}
}

var table = []Client{
	{
		Name: "claude-code", Title: "Claude Code",
		After: "start a new session, or type /mcp in the one that runs",
		key:   "mcpServers", syntax: jsonSyntax, entry: typed,
		remote: reached(object{{"type", "http"}}, "url", "${NAME}"), trust: nodeTrust,
		project: ".mcp.json",
		user:    files{linux: "$CLAUDE/.claude.json", darwin: "$CLAUDE/.claude.json", windows: "$CLAUDE/.claude.json"},
	},
	{
		Name: "claude-desktop", Title: "Claude Desktop",
		After: "quit and start Claude Desktop",
		key:   "mcpServers", syntax: jsonSyntax, entry: plain,
		remote: bridged, trust: nodeTrust,
		user: electron("Claude/claude_desktop_config.json"),
	},
	{
		Name: "vscode", Title: "VS Code",
		After: "open the file in VS Code and choose Start above the entry",
		key:   "servers", syntax: jsonSyntax, entry: typed,
		remote: reached(object{{"type", "http"}}, "url", "${env:NAME}"), trust: systemTrust,
		project: ".vscode/mcp.json",
		user:    electron("Code/User/mcp.json"),
	},
	{
		Name: "cursor", Title: "Cursor",
		After: "switch the server on in Cursor's settings under MCP",
		key:   "mcpServers", syntax: jsonSyntax, entry: plain,
		remote: reached(nil, "url", "${env:NAME}"), trust: nodeTrust,
		project: ".cursor/mcp.json",
		user:    home(".cursor/mcp.json"),
	},
	{
		Name: "windsurf", Title: "Windsurf",
		After: "choose Refresh in the list of MCP servers",
		key:   "mcpServers", syntax: jsonSyntax, entry: plain,
		remote: reached(nil, "serverUrl", "${env:NAME}"), trust: systemTrust,
		user: home(".codeium/windsurf/mcp_config.json"),
	},
	{
		Name: "gemini-cli", Title: "Gemini CLI",
		After: "start gemini again",
		key:   "mcpServers", syntax: jsonSyntax, entry: plain,
		remote: reached(nil, "httpUrl", "$NAME"), trust: nodeTrust,
		project: ".gemini/settings.json",
		user:    home(".gemini/settings.json"),
	},
	{
		Name: "codex", Title: "Codex",
		After: "start codex again; a project's file counts only in a trusted project",
		key:   "mcp_servers", syntax: tomlSyntax, entry: plain,
		remote: tokenVariable, trust: opensslVar,
		project: ".codex/config.toml",
		user:    files{linux: "$CODEX/config.toml", darwin: "$CODEX/config.toml", windows: "$CODEX/config.toml"},
	},
	{
		Name: "zed", Title: "Zed",
		After: "Zed notices by itself",
		key:   "context_servers", syntax: jsonSyntax, entry: plain,
		remote: bridged, trust: nodeTrust,
		project: ".zed/settings.json",
		user:    files{linux: "$CONFIG/zed/settings.json", darwin: "$CONFIG/zed/settings.json", windows: "$APPDATA/Zed/settings.json"},
	},
	{
		Name: "opencode", Title: "OpenCode",
		After: "start opencode again",
		key:   "mcp", syntax: jsonSyntax, entry: local,
		remote: reached(object{{"type", "remote"}}, "url", "{env:NAME}"), trust: nodeTrust,
		project: "opencode.json",
		user:    files{linux: "$CONFIG/opencode/opencode.json", darwin: "$CONFIG/opencode/opencode.json", windows: "~/.config/opencode/opencode.json"},
	},
	{
		Name: "cline", Title: "Cline",
		After: "Cline notices by itself",
		key:   "mcpServers", syntax: jsonSyntax, entry: plain,
		remote: reached(object{{"type", "streamableHttp"}}, "url", "${env:NAME}"), trust: systemTrust,
		user: electron("Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
	},
}
