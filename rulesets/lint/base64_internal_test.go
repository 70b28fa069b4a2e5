package lint

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// Both scanners find what the regular expressions in their comments match.
func TestBase64IsFound(t *testing.T) {
	runs := regexp.MustCompile(`[A-Za-z0-9+/_-]{200,}={0,2}`)
	lines := regexp.MustCompile(`(?m)(?:^[ \t>]*[A-Za-z0-9+/]{60,}={0,2}[ \t]*\r?(?:\n|\z)){4,}`)
	long := strings.Repeat("aB3/", 50)
	parts := []string{long, long[1:], long[:61], long[:60], long[:59], "=", "==", "===", "\n", "\n", "\r\n", "\r", " ", "\t", "> ", "-", "_", ".", "é", "\n\n"}
	r := rand.New(rand.NewPCG(1, 2))
	texts, found := sample.Count(300, 3000), 0
	for range texts {
		var text strings.Builder
		line := parts[r.IntN(5)] + []string{"", "=", "==", " "}[r.IntN(4)] + []string{"\n", "\r\n"}[r.IntN(2)]
		for range r.IntN(4) {
			text.WriteString(strings.Repeat(line, r.IntN(6)))
		}
		for range r.IntN(12) {
			text.WriteString(parts[r.IntN(len(parts))])
		}
		for _, tt := range []struct {
			name string
			want *regexp.Regexp
			got  func(string) [][2]int
		}{{"runs", runs, base64Runs}, {"lines", lines, base64Lines}} {
			var want [][2]int
			for _, at := range tt.want.FindAllStringIndex(text.String(), -1) {
				want = append(want, [2]int(at))
			}
			found += len(want)
			if diff := cmp.Diff(want, tt.got(text.String())); diff != "" {
				t.Fatalf("%s of %q (-want +got):\n%s", tt.name, text.String(), diff)
			}
		}
	}
	if found < texts/6 {
		t.Errorf("the texts have %d matches, too few to compare anything", found)
	}
}
