package pattern_test

import (
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document/schema/pattern"
)

// TestMatch has patterns with texts that they match and do not match, by appendix F of
// part 2.
func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern string
		yes, no []string
	}{
		{`abc`, []string{"abc"}, []string{"", "ab", "abcd", "xabc", "abc\n"}},
		{``, []string{""}, []string{"a"}},
		{`a|b|`, []string{"a", "b", ""}, []string{"ab"}},
		{`a?b*c+`, []string{"c", "abbc", "bcc"}, []string{"ab", "aac"}},
		{`a{2}b{1,3}c{2,}`, []string{"aabcc", "aabbbcccc"}, []string{"abcc", "aabbbbcc", "aabc"}},
		{`a{0}b`, []string{"b"}, []string{"ab"}},
		{`(ab|c(d)?)+`, []string{"ab", "cdabc"}, []string{"", "d"}},
		{`^a$`, []string{"^a$"}, []string{"a"}},
		{`.`, []string{"a", "\t", "\u2028", "😀"}, []string{"\n", "\r", ""}},
		{`[.]`, []string{"."}, []string{"a"}},
		{`\.\\\|\?\*\+\(\)\{\}\-\[\]\^\n\r\t`, []string{".\\|?*+(){}-[]^\n\r\t"}, nil},
		{`[a-c-]`, []string{"a", "c", "-"}, []string{"d"}},
		{`[-a]`, []string{"-", "a"}, []string{"b"}},
		{`[^-a]`, []string{"b", "^"}, []string{"-", "a", ""}},
		{`[a^]`, []string{"a", "^"}, []string{"b"}},
		{`[a-z-[aeiou]]`, []string{"b", "z"}, []string{"a", "u", "-"}},
		{`[^a-z-[0-5]]`, []string{"9", "A"}, []string{"a", "3"}},
		{`[a-z-[b-y-[m]]]`, []string{"a", "m", "z"}, []string{"b", "y"}},
		{`[a--[a]]`, []string{"-"}, []string{"a"}},
		{`[\w-[\d_]]`, []string{"a", "é"}, []string{"1", " "}},
		{`\i\c*`, []string{"a", "_:-1", ":", "é·"}, []string{"-a", "1", ""}},
		{`\I\C`, []string{"1 ", "-\u00d7"}, []string{"a ", "11"}},
		{`\d\D`, []string{"1a", "٣x"}, []string{"11", "²a"}},
		{`\s\S`, []string{"\ta", " a", "\n\u00a0"}, []string{"\u00a0a", "  "}},
		{`\w\W`, []string{"a ", "$!", "1\u00a0"}, []string{"_a", "aa"}},
		{`[\s\S]`, []string{"\n", "a"}, []string{""}},
		{`\p{Lu}\P{Lu}`, []string{"Aa", "É1"}, []string{"aa", "AA"}},
		{`\p{L}\p{N}\p{Sc}`, []string{"a1€", "ʰⅣ$"}, []string{"1a€"}},
		{`[\p{Ll}\p{Nd}]+`, []string{"a1"}, []string{"A"}},
		{`\p{IsBasicLatin}+`, []string{"a\u007f"}, []string{"\u0080"}},
		{`\p{IsLatin-1Supplement}\P{IsGreek}`, []string{"éa"}, []string{"éα", "aa"}},
		{`\p{IsGreekandCoptic}\p{IsCJKUnifiedIdeographs}`, []string{"α中"}, []string{"αα"}},
		{`\p{IsPrivateUse}`, []string{"\ue000"}, []string{"a", "\U0010fffd"}},
		{`\p{IsSupplementaryPrivateUseArea-B}`, []string{"\U0010fffd"}, []string{"\ue000"}},
		{`[\p{IsHighSurrogates}a]`, []string{"a"}, []string{"b"}},
		{`\p{L}+`, []string{"\U00020000\U00010400"}, []string{"\U0001d400"}},
		{`\w\D\d`, []string{"\U0001d400😀\U0001d7ce"}, nil},
		{`\p{Cn}`, []string{"\u0378"}, []string{"a"}},
		{`\p{C}`, []string{"\u0378", "\u0001", "\ue000"}, []string{"a"}},
		{`[a-a]`, []string{"a"}, []string{"b"}},
		{`[\-\]\[\\]`, []string{"-", "]", "[", `\`}, []string{"a"}},
		{`[+--]`, nil, nil}, // an error, see TestErrors
		{`(a*)*`, []string{"", "aaa"}, []string{"b"}},
		{`()*a()`, []string{"a"}, []string{""}},
		{`[a-[a]]|b`, []string{"b"}, []string{"a"}},
	} {
		p, err := pattern.Compile(test.pattern)
		if test.yes == nil && test.no == nil {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		for _, text := range test.yes {
			if !matches(t, p, text) {
				t.Errorf("%s does not match %q", test.pattern, text)
			}
		}
		for _, text := range test.no {
			if matches(t, p, text) {
				t.Errorf("%s matches %q", test.pattern, text)
			}
		}
	}
}

func matches(t *testing.T, p *pattern.Pattern, text string) bool {
	t.Helper()
	ok, err := p.Match(text)
	if err != nil {
		t.Errorf("%s: %v", p, err)
	}
	return ok
}

// TestErrors has texts that are no patterns, each with a word of the reason.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`\$`: `\$ is not`, `\`: "nothing", `\b`: `\b is not`, `\u0041`: `\u is not`, `\1`: `\1 is not`, `[\Z]`: `\Z is not`,
		`(`: "no end", `)`: "no group", `a)`: "no group", `(a`: "no end", `(?:a)`: "nothing that it could repeat", `(?i)a`: "nothing",
		`*`: "nothing", `a**`: "nothing", `a+?`: "nothing", `|*`: "nothing", `{1}`: "nothing", `a{1}{2}`: "nothing",
		`a{`: "{n}", `a{}`: "{n}", `a{,2}`: "{n}", `a{1,2`: "{n}", `a{-1}`: "{n}", `a{2,1}`: "order", `a}`: `\}`, `]`: `\]`,
		`[`: "no end", `[]`: "empty", `[^]`: "empty", `[a`: "no end", `[a[b]]`: `\[`, `[a-`: "no end", `[z-a]`: "order",
		`[a-c-e]`: "start or end", `[a-\d]`: "ends with a character", `[\d-z]`: "start or end", `[--z]`: "start or end", `[+--]`: "ends with",
		`[a-z-[b]`: "no end", `[a-z-[b]c]`: "no end", `\p`: "written as", `\p{`: "written as", `\pL`: "written as", `\p{Xx}`: "no category",
		`\p{}`: "no category", `\p{IsNothing}`: "no category", `\p{Cs}`: "no category", `\p{Greek}`: "no category", `\p{L Lu}`: "no category",
		"\x00": "XML", "\xff": "XML",
	} {
		_, err := pattern.Compile(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestErrorPosition(t *testing.T) {
	_, err := pattern.Compile(`é{2}\$`)
	if got, want := err.Error(), `at character 5: \$ is not an escape of the grammar`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLargeQuantifiers has quantifiers above what Go's own can hold, alone and nested.
func TestLargeQuantifiers(t *testing.T) {
	for _, test := range []struct {
		pattern  string
		min, max int // lengths that match
	}{
		{`a{1000}`, 1000, 1000}, {`a{1001}`, 1001, 1001}, {`a{0,1001}`, 0, 1001}, {`a{0,32000}`, 0, 32000},
		{`a{2500,4700}`, 2500, 4700}, {`(a{100}){100}`, 10000, 10000}, {`(a{0,40}){0,30}`, 0, 1200},
		{`((a{1,9}){1,9}){1,20}`, 1, 1620}, {`(a{900}){3}`, 2700, 2700}, {`a{7,2147483647}`, 7, 3000}, {`a{1200,}`, 1200, 3000},
	} {
		p, err := pattern.Compile(test.pattern)
		if err != nil {
			t.Errorf("%s: %v", test.pattern, err)
			continue
		}
		open := strings.HasSuffix(test.pattern, ",}") || strings.HasSuffix(test.pattern, "647}")
		for length, want := range map[int]bool{test.min - 1: false, test.min: true, (test.min + test.max) / 2: true, test.max: true, test.max + 1: open} {
			if length >= 0 && matches(t, p, strings.Repeat("a", length)) != want {
				t.Errorf("%s matches %d characters: %v", test.pattern, length, !want)
			}
		}
	}
}

// TestHostile compiles patterns that would be large, and matches texts of up to a million
// characters. Each takes a small part of the time that would fail the test.
func TestHostile(t *testing.T) {
	for name, text := range map[string]string{
		"quantifier":  `a{1000000}`,
		"number":      `a{99999999999999999999,99999999999999999999}`,
		"nested":      `((((a{100}){100}){100}){100}){100}`,
		"groups":      strings.Repeat("(", 50_000) + strings.Repeat(")", 50_000),
		"classes":     strings.Repeat("[a-z-", 20_000) + strings.Repeat("]", 20_000),
		"long":        strings.Repeat("a", 100_001),
		"large sets":  strings.Repeat(`[\w-]`, 19_000),
		"repeat sets": strings.Repeat(`\w{0,2000}`, 40),
		"large class": `[` + strings.Repeat(`\W\P{L}`, 14_000) + `]`,
		"many sets":   strings.Repeat(`\w`, 49_000),
		"empty parts": `(a` + strings.Repeat("()", 40_000) + `){1,90000}`,
		"stars":       strings.Repeat("(", 199) + "a" + strings.Repeat("*)", 199),
		"choices":     strings.Repeat("(a|", 199) + strings.Repeat("){0,2}", 199),
		"backtracks":  `(a+)+b`,
		"ambiguous":   `((a{1,32}){1,32}){1,32}`,
		"optional":    `(a|aa){0,33000}`,
		"large texts": `[\s\S]{0,99999}`,
		"memory":      `.*a.{5000}`,
	} {
		start := time.Now()
		p, err := pattern.Compile(text)
		for _, length := range []int{0, 1, 1000, 1_000_000} {
			if err == nil {
				_, err = p.Match(strings.Repeat("a", length) + "b")
			}
		}
		took := time.Since(start)
		t.Logf("%s: %v %v", name, took, err)
		if took > 20*time.Second {
			t.Errorf("%s takes %v", name, took)
		}
	}
}
