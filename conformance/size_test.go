package conformance

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
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
		{"3 MiB of text, structured", "2025-06-18", "x", 3 << 20},
		{"controls, six bytes each", "2025-06-18", `\u0001`, 512 << 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := startStdio(t, t.TempDir(), "--families=rulesets")
			if tc.revision != "" {
				roundTrip(t, p, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+tc.revision+`"}}`)
			}
			markdown := strings.Repeat(tc.char, tc.n)
			created := roundTrip(t, p, callLine(1, "create_ruleset", `{"name":"a","description":"d","markdown":"`+markdown+`"}`))
			if !strings.Contains(created, "Successfully created ruleset 'a'") {
				t.Fatalf("got %.200s", created)
			}
			for _, line := range []string{
				callLine(2, "get_ruleset", `{"name":"a"}`),
				`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"ruleset://a"}}`,
			} {
				got := roundTrip(t, p, line)
				if !strings.Contains(got, `\n---\n\n`+markdown+`"`) {
					t.Errorf("%s: got %.200s…, want all of the text", line, got)
				}
				if len(got) > maxClientLine {
					t.Errorf("%s: %d bytes, want at most %d", line, len(got), maxClientLine)
				}
			}
			closeTransport(t, p)
		})
	}
}

// However large a ruleset is, no line is longer than clients take, and the
// connection goes on. Control characters take six bytes each in JSON, and
// negotiated clients get the content twice.
func TestNoLineIsTooLong(t *testing.T) {
	for name, text := range map[string]string{
		"6 MiB of text":     strings.Repeat("x", 6<<20),
		"12 MiB of text":    strings.Repeat("x", 12<<20),
		"2 MiB of controls": strings.Repeat(`\u0001`, 2<<20),
	} {
		for _, revision := range []string{"", "2025-06-18"} {
			t.Run(name+" "+revision, func(t *testing.T) {
				sample.Case(t)
				p := startStdio(t, t.TempDir(), "--families=rulesets")
				if revision != "" {
					roundTrip(t, p, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`"}}`)
				}
				for i, line := range []string{
					callLine(1, "create_ruleset", `{"name":"a","description":"d","markdown":"`+text+`"}`),
					callLine(2, "get_ruleset", `{"name":"a"}`),
					callLine(3, "update_ruleset", `{"name":"a","description":"`+text+`"}`),
					callLine(4, "list_rulesets", `{}`),
					callLine(5, "search_rulesets", `{"pattern":"*"}`),
					`{"jsonrpc":"2.0","id":6,"method":"resources/list"}`,
					`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"ruleset://a"}}`,
				} {
					got := roundTrip(t, p, line)
					if len(got) > maxClientLine {
						t.Errorf("line %d: %d bytes, want at most %d", i+1, len(got), maxClientLine)
					}
				}
				closeTransport(t, p)
			})
		}
	}
}
