package hostcheck_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/triptych-mcp/triptych/transport/internal/hostcheck"
)

func TestAllows(t *testing.T) {
	local := hostcheck.Hosts{Loopback: true, Names: []string{"tool.example"}}
	named := hostcheck.Hosts{Names: []string{"tool.example"}}
	for _, tt := range []struct {
		host                string
		local, named, every bool
	}{
		{"localhost", true, false, true},
		{"LOCALHOST:8443", true, false, true},
		{"127.0.0.1:9", true, false, true},
		{"[::1]:8443", true, false, true},
		{"[::1]", true, false, true},
		{"tool.example:443", true, true, true},
		{"Tool.Example", true, true, true},
		{"evil.example", false, false, true},
		{"localhost.evil.example", false, false, true},
		{"", false, false, true},
	} {
		got := [3]bool{local.Allows(tt.host), named.Allows(tt.host), hostcheck.Hosts{}.Allows(tt.host)}
		if want := [3]bool{tt.local, tt.named, tt.every}; got != want {
			t.Errorf("%q: %v, want %v", tt.host, got, want)
		}
	}
}

func TestHandler(t *testing.T) {
	h := hostcheck.Hosts{Loopback: true, Addresses: true}.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	for host, want := range map[string]int{"localhost": 200, "192.0.2.1:9464": 200, "evil.example": 403} {
		r, w := httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody), httptest.NewRecorder()
		r.Host = host
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("%s: %d, want %d", host, w.Code, want)
		}
	}
}
