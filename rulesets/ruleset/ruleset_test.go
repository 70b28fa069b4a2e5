package ruleset_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// FuzzName takes the documented pattern as the oracle.
func FuzzName(f *testing.F) {
	for _, s := range []string{"python_style_guide", "api_v2_rules", "test123", "Python-Style", "api__rules", "_private", "style-guide", "", "a_", strings.Repeat("a", 128), strings.Repeat("a", 129), "é"} {
		f.Add(s)
	}
	pattern := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	f.Fuzz(func(t *testing.T, s string) {
		want := pattern.MatchString(s) && len(s) <= 128 && !strings.HasSuffix(s, "\n")
		if _, err := ruleset.ParseName(s); (err == nil) != want {
			t.Errorf("ParseName(%q) = %v, want valid = %t", s, err, want)
		}
	})
}

// FuzzMatch takes a regular expression as the oracle.
func FuzzMatch(f *testing.F) {
	for _, c := range [][2]string{{"*a*", "bab"}, {"a?c", "abc"}, {"**", ""}, {"a*b*c", "axxbxxc"}, {"", "a"}, {"?", ""}, {"*ab", "aab"}} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, pattern, name string) {
		for _, s := range []string{pattern, name} {
			if strings.ContainsFunc(s, func(r rune) bool { return r > 126 || r < 32 }) {
				return // names are ASCII; a ? is a byte of them
			}
		}
		expr := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
		want := regexp.MustCompile(`^(?s:` + expr + `)$`).MatchString(name)
		if got := ruleset.Match(pattern, name); got != want {
			t.Errorf("Match(%q, %q) = %t, want %t", pattern, name, got, want)
		}
	})
}

func TestNameListIsCut(t *testing.T) {
	names := []ruleset.Name{"a", "b"}
	if got := ruleset.NameList(names, 2); got != "[a, b]" {
		t.Errorf("got %s", got)
	}
	many := make([]ruleset.Name, 60)
	for i := range many {
		many[i] = "n"
	}
	if got := ruleset.NameList(many, 60); !strings.HasSuffix(got, "n, … and 10 more]") || strings.Count(got, "n,") != 50 {
		t.Errorf("got %s", got)
	}
}
