package https_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/https"
)

// A request for which no buffer is left is served by net/http.
func TestBuffers(t *testing.T) {
	for _, tc := range []struct {
		name          string
		memory, total int64
		limit         int64
		refused       bool
	}{
		{"by default", 0, 0, 32 << 20, false},
		{"none for the address", 1, 1 << 20, 1 << 20, true},
		{"none in all", 1 << 20, 1, 1, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := serve(t, https.Config{Routes: endpoint(says("here")), BufferMemory: tc.memory, BufferMemoryTotal: tc.total})
				resp, err := h.client(t).Post("http://localhost/mcp", "application/json", strings.NewReader(strings.Repeat(" ", 64<<10)))
				if err != nil {
					t.Fatal(err)
				}
				if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
					t.Errorf("%s, %v", resp.Status, err)
				}
				h.end(t)
				u := h.server.Buffers()
				if u.Used != 0 || u.Limit != tc.limit || (u.Refused > 0) != tc.refused {
					t.Errorf("%+v, want nothing used, a limit of %d and refusals: %v", u, tc.limit, tc.refused)
				}
			})
		})
	}
}
