package requestid_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/transport/requestid"
)

// The id of a proxy is adopted if it is harmless; that of anybody else, and a harmful
// one, is replaced. The handler and the answer have the same id.
func TestIDs(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	tests := []struct {
		name, from string
		sent       []string
		adopted    bool
	}{
		{"a UUID of a proxy", "10.1.2.3:99", []string{"7b0b5ac4-0b4c-4a69-8f5c-7c4e0e4b21d3"}, true},
		{"a trace id of a load balancer", "[::ffff:10.1.2.3]:99", []string{"Root=1-67891233-abcdef012345678912345678"}, true},
		{"of a client", "192.0.2.1:99", []string{"7b0b5ac4"}, false},
		{"none", "10.1.2.3:99", nil, false},
		{"an empty one", "10.1.2.3:99", []string{""}, false},
		{"two", "10.1.2.3:99", []string{"a", "b"}, false},
		{"with a line break", "10.1.2.3:99", []string{"a\nlevel=ERROR"}, false},
		{"with a blank", "10.1.2.3:99", []string{"a b"}, false},
		{"with a quote", "10.1.2.3:99", []string{`a"b`}, false},
		{"beyond ASCII", "10.1.2.3:99", []string{"ä"}, false},
		{"the longest", "10.1.2.3:99", []string{strings.Repeat("a", 128)}, true},
		{"too long", "10.1.2.3:99", []string{strings.Repeat("a", 129)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen string
			h := requestid.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				seen = requestid.FromContext(r.Context())
			}), proxies)
			r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
			r.RemoteAddr, r.Header[requestid.Header] = tt.from, tt.sent
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if told := w.Header().Get("X-Request-Id"); told != seen || len(seen) < 20 && !tt.adopted {
				t.Errorf("the handler has the id %q, the answer %q", seen, told)
			}
			if adopted := len(tt.sent) > 0 && seen == tt.sent[0]; adopted != tt.adopted {
				t.Errorf("got the id %q for %q, want it adopted: %v", seen, tt.sent, tt.adopted)
			}
		})
	}
}

// Two requests have two ids, and one that has an id keeps it.
func TestIDsDiffer(t *testing.T) {
	var ids []string
	h := requestid.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		ids = append(ids, requestid.FromContext(r.Context()))
	}), nil)
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	h.ServeHTTP(httptest.NewRecorder(), r)
	h.ServeHTTP(httptest.NewRecorder(), r.WithContext(requestid.NewContext(r.Context(), "passed-on")))
	if ids[0] == ids[1] || ids[2] != "passed-on" {
		t.Errorf("got the ids %q", ids)
	}
}
