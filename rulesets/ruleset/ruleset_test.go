package ruleset_test

import (
	"fmt"
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

// FuzzMatch takes a regular expression as the oracle of patterns without braces.
func FuzzMatch(f *testing.F) {
	for _, c := range [][2]string{
		{"*a*", "bab"}, {"a?c", "abc"}, {"**", ""}, {"a*b*c", "axxbxxc"}, {"", "a"}, {"?", ""}, {"*ab", "aab"},
		{"[a-c]x", "bx"}, {"[!a-c]*", "dx"}, {"[^a]", "a"}, {"[]]", "]"}, {"[a", "[a"}, {"[a-]", "-"}, {"[c-a]", "b"},
	} {
		f.Add(c[0], c[1])
	}
	class := regexp.MustCompile(`\[([!^]?)(\]?[^\]]*)\]`)
	f.Fuzz(func(t *testing.T, pattern, name string) {
		for _, s := range []string{pattern, name} {
			if strings.ContainsFunc(s, func(r rune) bool { return r > 126 || r < 32 }) || strings.ContainsAny(s, `{\`) {
				return // names are ASCII; a ? is a byte of them
			}
		}
		var expr strings.Builder
		outside := strings.NewReplacer(`\*`, `.*`, `\?`, `.`)
		rest := pattern
		for at := class.FindStringSubmatchIndex(rest); at != nil && at[4] < at[5]; at = class.FindStringSubmatchIndex(rest) {
			expr.WriteString(outside.Replace(regexp.QuoteMeta(rest[:at[0]])) + oracleClass(at[3] > at[2], rest[at[4]:at[5]]))
			rest = rest[at[1]:]
		}
		if class.MatchString(rest) {
			return // an empty class, which the expression would end elsewhere
		}
		want := regexp.MustCompile(`^(?s:` + expr.String() + outside.Replace(regexp.QuoteMeta(rest)) + `)$`).MatchString(name)
		if got := ruleset.Match(pattern, name); got != want {
			t.Errorf("Match(%q, %q) = %t, want %t", pattern, name, got, want)
		}
	})
}

// oracleClass lists the bytes of a class.
func oracleClass(inverted bool, text string) string {
	in := map[byte]bool{}
	for i := 0; i < len(text); i++ {
		from, to := text[i], text[i]
		if i+2 < len(text) && text[i+1] == '-' {
			to = text[i+2]
			i += 2
		}
		for c := int(from); c <= int(to); c++ {
			in[byte(c)] = true
		}
	}
	var all strings.Builder
	for c := range 128 {
		if in[byte(c)] != inverted {
			fmt.Fprintf(&all, `\x%02x`, c)
		}
	}
	if all.Len() == 0 {
		return `[^\x00-\x{10FFFF}]`
	}
	return "[" + all.String() + "]"
}

func TestMatchBraces(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		want          bool
	}{
		{"{a,b}*", "bx", true}, {"{a,b}*", "cx", false}, {"*_{style,guide}", "go_guide", true}, {"{go,py{thon,}}_x", "py_x", true},
		{"{go,py{thon,}}_x", "python_x", true}, {"{a,b}{c,d}", "bd", true}, {"{a}", "a", true}, {"{}", "", true}, {"x{,y}", "x", true},
		{"{a,b", "{a,b", true}, {"a,b}", "a,b}", true}, {`\{a,b}`, "{a,b}", true}, {"[{]a,b}", "{a,b}", true}, {"{[a-c],z}1", "b1", true},
		{"{a*,b?}", "b1", true}, {"{a*,b?}", "b12", false}, {strings.Repeat("{a,b}", 8), "abababab", true}, {strings.Repeat("{a,b}", 9), "ababababa", false},
		{strings.Repeat("{", 1000), "a", false},
	} {
		if got := ruleset.Match(tc.pattern, tc.name); got != tc.want {
			t.Errorf("Match(%.40q, %q) = %t", tc.pattern, tc.name, got)
		}
	}
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
