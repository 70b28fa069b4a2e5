package invite

import (
	"encoding/base64"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/clients"
)

// A way tells how a host is connected.
type way struct {
	Name, Title string
	Steps       []string
	Button      string // the label of URL; "" without one
	URL         template.URL
	File, Text  string // the host's file, and what belongs into it
	Variable    string // from which it reads the key
}

// entryName is the name of the server in the hosts.
const entryName = "triptych"

// KeyVariable is the environment variable from which hosts read the key.
const KeyVariable = "TRIPTYCH_KEY"

// logins are the hosts that open the login page of a server.
var logins = []struct {
	name, title string
	steps       []string
	button      string
	link        func(endpoint string) string
}{
	{
		"claude", "Claude on the web, the desktop and the phone",
		[]string{"Choose Add, then Connect. A page of this server opens: paste the key, and allow it."}, "Add to Claude",
		// https://claude.com/docs/connectors/building/directory-vs-custom, read 2026-11-28
		func(endpoint string) string {
			return "https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=" + entryName + "&connectorUrl=" + url.QueryEscape(endpoint)
		},
	},
	{
		"chatgpt", "ChatGPT",
		[]string{"In the settings, under Apps & Connectors, switch the developer mode on and create a connector with the URL of the server and the authentication OAuth. A page of this server opens: paste the key, and allow it."},
		"", nil,
	},
}

// buttons are the links by which hosts add a server to their files.
var buttons = map[string]struct {
	label string
	link  func(endpoint, key string) string
	step  string
}{
	// https://cursor.com/docs/mcp/install-links, read 2026-11-28
	"cursor": {"Add to Cursor", func(endpoint, key string) string {
		config := encode(map[string]any{"url": endpoint, "headers": map[string]string{"Authorization": "Bearer " + key}})
		return "cursor://anysphere.cursor-deeplink/mcp/install?name=" + entryName + "&config=" + url.QueryEscape(base64.StdEncoding.EncodeToString(config))
	}, "Cursor writes the key into its own file in your home folder."},
	// https://code.visualstudio.com/docs/copilot/chat/mcp-servers, read 2026-11-28
	"vscode": {"Add to VS Code", func(endpoint, _ string) string {
		config := encode(map[string]any{
			"name": entryName, "type": "http", "url": endpoint, "headers": map[string]string{"Authorization": "Bearer ${input:triptych_key}"},
			"inputs": []map[string]any{{"type": "promptString", "id": "triptych_key", "description": "Key of " + server(endpoint), "password": true}},
		})
		return "vscode:mcp/install?" + strings.ReplaceAll(url.QueryEscape(string(config)), "+", "%20")
	}, "VS Code asks for the key when it starts the server, and stores it safely."},
}

// encode returns a value of this package as JSON.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // they are texts
	}
	return text
}

// Hosts returns the names of the hosts that an invitation can be for.
func Hosts() []string {
	var all []string
	for i := range logins {
		all = append(all, logins[i].name)
	}
	return append(all, clients.Names()...)
}

// ways returns how the hosts are connected: the one with a name, nil if it is none, and the
// others.
func (s *Server) ways(r *http.Request, endpoint, key, name string) (first *way, others []way) {
	var all []way
	if s.cfg.Login {
		for _, l := range logins {
			one := way{Name: l.name, Title: l.title, Steps: l.steps}
			if l.link != nil {
				one.Button, one.URL = l.button, template.URL(l.link(endpoint)) //nolint:gosec // made here
			}
			all = append(all, one)
		}
	}
	where := whereOf(r.UserAgent())
	for _, c := range clients.All() {
		all = append(all, wayOf(c, where, endpoint, key))
	}
	i := slices.IndexFunc(all, func(w way) bool { return w.Name == name })
	if i < 0 {
		return nil, all
	}
	one := all[i]
	return &one, slices.Delete(all, i, i+1)
}

// wayOf returns how a client with a file is connected.
func wayOf(c clients.Client, where clients.Where, endpoint, key string) way {
	one := way{
		Name: c.Name, Title: c.Title, Variable: KeyVariable,
		Text: string(c.Render(clients.Entry{Name: entryName, URL: endpoint, KeyEnv: KeyVariable})),
	}
	scopes := c.Scopes()
	if path, err := c.Path(scopes[len(scopes)-1], where); err == nil { // the user's file
		one.File = path
	}
	if b, ok := buttons[c.Name]; ok {
		one.Button, one.URL, one.Steps = b.label, template.URL(b.link(endpoint, key)), []string{b.step} //nolint:gosec // made here
	}
	return one
}

// whereOf returns where the files of a person are, by the program that shows the page.
func whereOf(agent string) clients.Where {
	where := clients.Where{GOOS: "linux", Home: "~", Getenv: func(string) string { return "" }}
	switch {
	case strings.Contains(agent, "Windows"):
		where.GOOS, where.Home = "windows", "%USERPROFILE%"
		where.Getenv = func(name string) string {
			if name == "APPDATA" {
				return "%APPDATA%"
			}
			return ""
		}
	case strings.Contains(agent, "Mac OS X"):
		where.GOOS = "darwin"
	}
	return where
}
