package oauth

import "slices"

// A KnownClient is a client whose metadata document is known, so that it is not fetched: that of
// claude.ai answers programs in data centers with a challenge for browsers (anthropics/claude-code
// #84263), and a server may not reach the Internet.
type KnownClient struct {
	ID        string // the URL of the document
	Name      string
	Host      string
	Redirects []string
}

// KnownClients lists the documents as their hosts served them in September 2026.
var KnownClients = []KnownClient{
	{"https://claude.ai/oauth/mcp-oauth-client-metadata", "Claude", "claude.ai", []string{"https://claude.ai/api/mcp/auth_callback"}},
	{"https://claude.ai/oauth/claude-code-client-metadata", "Claude Code", "claude.ai", []string{"http://localhost/callback", "http://127.0.0.1/callback"}},
	{"https://chatgpt.com/oauth/client.json", "ChatGPT", "chatgpt.com", []string{"https://chatgpt.com/connector_platform_oauth_redirect"}},
	{"https://chatgpt.com/oauth/codex/client.json", "Codex", "chatgpt.com", []string{"http://127.0.0.1/callback", "http://localhost/callback"}},
	{"https://vscode.dev/oauth/client-metadata.json", "Visual Studio Code", "vscode.dev", []string{"http://127.0.0.1:33418/", "https://vscode.dev/redirect"}},
	{"https://opencode.ai/oauth/opencode/client.json", "OpenCode", "opencode.ai", []string{"http://127.0.0.1/callback", "http://localhost/callback"}},
}

// knownClient returns a known client if it has a redirect. A document with another redirect has
// changed, and is fetched.
func knownClient(id, redirect string) (client, bool) {
	i := slices.IndexFunc(KnownClients, func(k KnownClient) bool { return k.ID == id && matches(k.Redirects, redirect) })
	if i < 0 {
		return client{}, false
	}
	k := &KnownClients[i]
	return client{ID: k.ID, Name: k.Name, Redirects: k.Redirects, Host: k.Host}, true
}
