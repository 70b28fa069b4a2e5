package servecmd

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/invite"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/registry"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
	"github.com/triptych-mcp/triptych/transport/routes"
)

// everything returns a server with all that a listener can serve without an issuer.
func everything(t *testing.T) *server {
	t.Helper()
	a := app.New()
	a.Getenv = func(string) string { return "" }
	f := new(serveFlags)
	servers := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(servers, []byte("[]"), 0o644); err != nil {
		t.Fatal(err)
	}
	set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	f.register(set)
	a.ServerFlags(set)
	if err := set.Parse([]string{"--data", t.TempDir(), "--plain-http", "--console", "always", "--pprof", "--metrics-listen", ":0", "--consumers", "--registry", servers, "--oauth", "--public-skills", "public"}); err != nil {
		t.Fatal(err)
	}
	s := &server{commands: newCommands(a), flags: f, services: services{}}
	t.Cleanup(func() {
		if err := s.services.close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.readSettings(); err != nil {
		t.Fatal(err)
	}
	if err := s.openServices(t.Context()); err != nil {
		t.Fatal(err)
	}
	endpoint, err := s.openEndpoint()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.endpoint.Shutdown(t.Context()) })
	if err := s.openWeb(endpoint); err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	tableBegins = "<!-- The table of routes: make generate writes it. -->\n\n"
	tableEnds   = "\n<!-- The end of the table. -->"
)

// docs/operations.md has the tables of the listeners as they are in the program. After a
// change, make generate writes them.
func TestRoutesAreDocumented(t *testing.T) {
	s := everything(t)
	path := filepath.Join("..", "..", "..", "..", "docs", "operations.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatal("docs/operations.md has no place for the table of routes")
	}
	table := routes.Describe(s.web.Routes()) + "\nAt `--metrics-listen`:\n\n" + routes.Describe(s.metricsServer().Routes())
	mcptest.Golden(t, path, []byte(before+tableBegins+table+tableEnds+after))
}

// The rows of the console are for hosts that are ours, and all but a few for callers. Every
// POST has a form whose size is bounded, or no body.
func TestRowsAreGuarded(t *testing.T) {
	public := map[string]bool{"GET /": true, "GET /signin": true, "POST /signin": true, "POST /link": true, "GET /healthz": true, "GET /readyz": true}
	for _, row := range everything(t).web.Routes() {
		pattern := row.Pattern()
		document := strings.HasPrefix(row.Path, "/.well-known/") || row.Path == "/mcp/server-card" || strings.HasPrefix(row.Path, registry.Path) || strings.HasPrefix(row.Path, "/static/")
		login := strings.HasPrefix(row.Path, "/oauth/") || strings.HasPrefix(row.Path, invite.Path) || strings.HasSuffix(row.Path, "/.well-known/openid-configuration")
		if row.Body != routes.Own && row.Callers == nil && !public[pattern] && !document && !login {
			t.Errorf("%s is for everybody", pattern)
		}
		if row.Method == http.MethodPost && row.Body == routes.Form && row.MaxBody > 8<<20 {
			t.Errorf("%s takes a form of %d bytes", pattern, row.MaxBody)
		}
		if strings.HasPrefix(row.Path, "/audit") && (row.Cost.Calls == 0 || !row.Cost.Alone) {
			t.Errorf("%s reads the audit trail and costs %+v", pattern, row.Cost)
		}
	}
}
