package hosts

// A Login describes how a host logs in to a server by OAuth.
type Login struct {
	Title    string
	Redirect string // to which the host has the browser sent back
	// Document is the URL of the host's metadata document, its client_id at servers that take
	// such; "" if the host only registers.
	Document string
	Source   string
	Read     string // the day on which Source was read
}

// Logins are the hosts that log in. All read the metadata of RFC 9728 and RFC 8414, use PKCE with
// S256, name the resource, and register where the server does not take documents.
var Logins = []Login{
	{"claude.ai, Claude Desktop and phones", "https://claude.ai/api/mcp/auth_callback", "https://claude.ai/oauth/mcp-oauth-client-metadata", "https://claude.com/docs/connectors/building/authentication", asked},
	{"Claude Code", "http://localhost:3118/callback", "https://claude.ai/oauth/claude-code-client-metadata", "anthropics/claude-code#37747", asked},
	{"ChatGPT", "https://chatgpt.com/connector_platform_oauth_redirect", "https://chatgpt.com/oauth/client.json", "https://developers.openai.com/apps-sdk/build/auth", asked},
	{"VS Code", "http://127.0.0.1:33418/", "https://vscode.dev/oauth/client-metadata.json", "microsoft/vscode#270811", asked},
	{"Cursor", "http://localhost:8787/callback", "", "https://cursor.com/docs/mcp", asked},
	{"Codex", "http://127.0.0.1:37819/callback", "https://chatgpt.com/oauth/codex/client.json", "elmohq/elmo#684", asked},
	{"OpenCode", "http://127.0.0.1:19876/callback", "https://opencode.ai/oauth/opencode/client.json", "anomalyco/opencode#47743", asked},
	{"mcp-remote", "http://localhost:3334/oauth/callback", "", "mcp-remote 0.15.1", asked},
}
