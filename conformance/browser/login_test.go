package browser_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// A client of an SDK logs in by the pages of a server, in a browser, and calls a tool.
func TestLogin(t *testing.T) {
	chromium := need.Program(t, "chromium")
	sdk.InstallNode(t, "node")
	program, data := filepath.Join(t.TempDir(), "triptych"), t.TempDir()
	command(t, "../..", "go", "build", "-o", program, "./cmd/triptych")
	t.Setenv("TRIPTYCH_DATA", data)
	url, _ := serve(t, program, "--oauth")
	var links []string
	for _, args := range [][]string{{"ann", "--scopes", "rulesets:read"}, {"bob", "--for", "cursor"}} {
		links = append(links, strings.TrimSpace(command(t, ".", program, append([]string{"key", "invite", "--url", url}, args...)...)))
	}
	look(t, "login.mjs", run{Chromium: chromium, URL: url, Links: links, Pictures: pictures(t)},
		"NODE_EXTRA_CA_CERTS="+filepath.Join(data, "tls", "cert.pem"))
}
