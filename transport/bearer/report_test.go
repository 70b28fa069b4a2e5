package bearer_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// Keys that cannot be looked up are an error of ours, unless the client has gone
// while we looked.
func TestClientsThatGoAreNoErrors(t *testing.T) {
	var log bytes.Buffer
	h := build(t, func(c *bearer.Config) {
		c.Ring = brokenRing{errors.New("out of reach")}
		c.Logger = slog.New(slog.NewTextHandler(&log, nil))
	})
	_, token := h.key(t, keys.Settings{})
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		wants bool
	}{{"a client that waits", t.Context(), true}, {"a client that has gone", gone, false}} {
		log.Reset()
		_, refused := h.Authenticate(http.Header{}, visit("127.0.0.1:40000", "Bearer "+token).WithContext(tt.ctx))
		if refused == nil || refused.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: got %+v, want 503", tt.name, refused)
		}
		if got := strings.Contains(log.String(), "level=ERROR"); got != tt.wants {
			t.Errorf("%s: the log has %q", tt.name, log.String())
		}
	}
}
