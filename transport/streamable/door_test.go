package streamable_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/triptych-mcp/triptych/transport/streamable"
)

// One key, sent as RFC 6750 has it, opens; everything else does not, and an empty key never does.
func TestKey(t *testing.T) {
	for _, tt := range []struct {
		key  string
		sent []string
		open bool
	}{
		{"secret", []string{"Bearer secret"}, true},
		{"secret", []string{"bEARER  secret "}, true},
		{"secret", nil, false},
		{"secret", []string{""}, false},
		{"secret", []string{"secret"}, false},
		{"secret", []string{"Basic secret"}, false},
		{"secret", []string{"Bearer secre"}, false},
		{"secret", []string{"Bearer secrets"}, false},
		{"secret", []string{"Bearer secret", "Bearer secret"}, false},
		{"", []string{"Bearer "}, false},
		{"", []string{"Bearer"}, false},
		{"", nil, false},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
		r.Header["Authorization"] = tt.sent
		header := make(http.Header)
		_, refused := streamable.Key(tt.key).Authenticate(header, r)
		if open := refused == nil; open != tt.open {
			t.Errorf("key %q, sent %q: open is %t, want %t", tt.key, tt.sent, open, tt.open)
		}
		if refused != nil && (refused.Status != http.StatusUnauthorized || header.Get("WWW-Authenticate") != "Bearer") {
			t.Errorf("key %q, sent %q: %d with the challenge %q", tt.key, tt.sent, refused.Status, header.Get("WWW-Authenticate"))
		}
	}
}
