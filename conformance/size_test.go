package conformance

import (
	"strings"
	"testing"
)

// maxClientLine is the longest line that real clients take: at more than that
// they drop the connection.
const maxClientLine = 10 << 20

// Large rulesets come back whole, on lines that clients take. Negotiated clients
// get the content twice.
func TestLargeRulesets(t *testing.T) {
	for _, tc := range []struct {
		name, revision, char string
		n                    int
	}{
		{"1 MiB of text", "", "x", 1 << 20},
		{"1 MiB of text, structured", "2025-06-18", "x", 1 << 20},
		{"4 MiB of text", "", "x", 4 << 20},
		{"4 MiB of text, structured", "2025-06-18", "x", 4 << 20},
		{"controls, six bytes each", "2025-06-18", `\u0001`, 512 << 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := start(t, t.TempDir(), "--families=rulesets")
			if tc.revision != "" {
				ask(t, p, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+tc.revision+`"}}`)
			}
			markdown := strings.Repeat(tc.char, tc.n)
			created := ask(t, p, callLine(1, "create_ruleset", `{"name":"a","description":"d","markdown":"`+markdown+`"}`))
			if !strings.Contains(created, "Successfully created ruleset 'a'") {
				t.Fatalf("got %.200s", created)
			}
			for _, line := range []string{
				callLine(2, "get_ruleset", `{"name":"a"}`),
				`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"ruleset://a"}}`,
			} {
				got := ask(t, p, line)
				if !strings.Contains(got, `\n---\n\n`+markdown+`"`) {
					t.Errorf("%s: got %.200s…, want all of the text", line, got)
				}
				if len(got) > maxClientLine {
					t.Errorf("%s: %d bytes, want at most %d", line, len(got), maxClientLine)
				}
			}
			leave(t, p)
		})
	}
}
