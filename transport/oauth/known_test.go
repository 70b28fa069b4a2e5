package oauth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/oauth"
)

// The known clients log in without a fetch of their documents, which this machine could not
// make, at any port of loopback.
func TestKnownClients(t *testing.T) {
	f := open(t)
	for _, known := range oauth.KnownClients {
		for _, redirect := range known.Redirects {
			for _, base := range []string{"http://localhost/", "http://127.0.0.1/"} { // the program listens somewhere
				if rest, ok := strings.CutPrefix(redirect, base); ok {
					redirect = strings.TrimSuffix(base, "/") + ":50123/" + rest
				}
			}
			status, body, _ := f.get(t, f.one, request(known.ID, set("redirect_uri", redirect)))
			if status != http.StatusOK || !strings.Contains(body, "<strong>"+known.Name+"</strong>") || !strings.Contains(body, "(of <strong>"+known.Host+"</strong>)") {
				t.Errorf("%s with %s: %d %s", known.Name, redirect, status, body)
			}
		}
	}
}
