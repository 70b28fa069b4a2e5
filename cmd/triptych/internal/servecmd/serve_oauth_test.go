package servecmd

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
)

// Without being asked, a server has a login where hosts can reach it by a name and trust its
// certificate, and where no other issuer is named to them.
func TestLoginByDefault(t *testing.T) {
	const issuer = "--oidc-issuer https://login.example.com --oidc-audience https://mcp.example.com/mcp"
	for flags, want := range map[string]bool{
		"":                                false,
		"--host mcp.example.com":          false, // its own certificate
		"--tls-cert a.pem --tls-key b":    false, // no name
		"--acme-host mcp.example.com":     false,
		"--plain-http --proxy 10.0.0.0/8": false,
		"--host mcp.example.com --tls-cert a.pem --tls-key b":              true,
		"--host mcp.example.com --acme-host mcp.example.com":               true,
		"--host mcp.example.com --plain-http --proxy 10.0.0.0/8":           true,
		"--host mcp.example.com --acme-host mcp.example.com --oauth=false": false,
		"--host mcp.example.com --acme-host mcp.example.com " + issuer:     false,
		"--oauth":           true,
		"--oauth " + issuer: true,
	} {
		a := app.New()
		a.Getenv = func(string) string { return "" }
		f := new(serveFlags)
		set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
		f.register(set)
		a.ServerFlags(set)
		if err := set.Parse(append([]string{"--data", t.TempDir()}, strings.Fields(flags)...)); err != nil {
			t.Fatal(err)
		}
		s := &server{commands: newCommands(a), flags: f}
		if err := s.readSettings(); err != nil {
			t.Fatalf("%s: %v", flags, err)
		}
		if got := s.oauthOn(); got != want {
			t.Errorf("serve %s: a login is %t, want %t", flags, got, want)
		}
	}
}
