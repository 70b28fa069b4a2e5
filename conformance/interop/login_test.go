package interop_test

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// TestLogin has the TypeScript SDKs log in from nothing: they find the login by the 401,
// register, send the person to the page, and call. Their tokens work after a restart of the
// server, are refreshed, and end with the key.
func TestLogin(t *testing.T) {
	sdk.InstallNode(t, "node")
	server, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"v1", "legacy", "auto"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			data, addr := t.TempDir(), freePort(t)
			key := keyIn(t, server, data, "--name", "ann")
			first := serveAt(t, server, data, addr, "--oauth")
			c := restarting{mode: mode}
			ask := c.start(t, []string{"node", "node/login.mjs"}, "https://"+addr+"/mcp", key, filepath.Join(data, "tls", "cert.pem"))
			check := func(step, line string) {
				t.Helper()
				if got := ask(line); len(got) != 1 || got[0].Tools == 0 || got[0].Asked != 1 {
					t.Fatalf("%s: %+v, want tools and one page", step, got)
				}
			}
			check("a login", "")
			_ = first.Process.Signal(syscall.SIGTERM)
			_ = first.Wait() // it ends
			serveAt(t, server, data, addr, "--oauth")
			check("after a restart", "again\n")
			check("refreshed", "refresh\n")
			if out, err := exec.CommandContext(t.Context(), server, "key", "revoke", "ann", "--data", data).CombinedOutput(); err != nil {
				t.Fatalf("key revoke: %v %s", err, out)
			}
			if got := ask("last\n"); len(got) != 1 || got[0].Error == "" || got[0].Asked != 2 {
				t.Errorf("after the key was revoked: %+v, want an error and another page", got)
			}
		})
	}
}
