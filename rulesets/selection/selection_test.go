package selection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		glob, path string
		want       bool
	}{
		{"*.go", "a.go", true}, {"*.go", "a/b.go", false}, {"**/*.go", "a.go", true}, {"**/*.go", "a/b/c.go", true},
		{"src/**", "src/a/b", true}, {"src/**", "srcs/a", false}, {"src/", "src/a", true}, {"/src/*.c", "src/a.c", true}, {"./a", "a", true},
		{"**/api/**/*.ts", "x/api/y/z.ts", true}, {"**/api/**/*.ts", "api/z.ts", true}, {"*.{ts,tsx}", "a.tsx", true}, {"*.{ts,tsx}", "a.js", false},
		{"a[0-9].md", "a7.md", true}, {"a[!0-9].md", "a7.md", false}, {`a\*`, "a*", true}, {`a\*`, "ab", false}, {"a?", "aé", true},
		{"A.go", "a.go", false}, {"**", "any/thing", true}, {"a[", "a[", false}, {"", "", false}, {"!a", "a", true},
		{"日本/*", "日本/x", true}, {"a/**/b", "a/b", true}, {"**.go", "x/a.go", false}, {"{a,b}/{c,d}", "b/c", true}, {"a{}", "a", true},
		{"src/**", "src", false}, {"src/**/x", "src/x", true},
	} {
		if got := selection.Match(tc.glob, tc.path); got != tc.want {
			t.Errorf("%q on %q: %t", tc.glob, tc.path, got)
		}
	}
}

func TestValidGlob(t *testing.T) {
	for glob, want := range map[string]bool{
		"**/*.go": true, "a{b,c": false, "[": false, "": false, "!": false, strings.Repeat("a", 1025): false,
		strings.Repeat("{a,b}", 8): true, strings.Repeat("{a,b}", 9): false, `\{,,,\}`: true,
	} {
		if got := selection.ValidGlob(glob); got != want {
			t.Errorf("%.40q: %t", glob, got)
		}
	}
}

func TestCleanPath(t *testing.T) {
	for path, want := range map[string]string{
		"src/x.go": "src/x.go", "./src//x.go": "src/x.go", `src\x.go`: "src/x.go", "a/../b": "b",
		"": "", "/etc/passwd": "", "../x": "", "a/../../b": "", ".": "", `C:\x`: "",
	} {
		got, err := selection.CleanPath(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", path, got, err)
		}
	}
}

func TestDecide(t *testing.T) {
	q := selection.Query{Path: "src/x.go", Client: "cursor"}
	for _, tc := range []struct {
		extra  string
		want   bool
		reason string
	}{
		{"", true, "always"},
		{"globs: ['**/*.go']\n", true, `the file matches "**/*.go"`},
		{"globs: ['**/*.go', '!src/**']\n", false, `the file matches "!src/**"`},
		{"globs: ['!src/**', '**/*.go']\n", false, `the file matches "!src/**"`},
		{"globs: ['*.py', 'a[']\n", false, `the file does not match "*.py", "a[" (not a valid glob)`},
		{"globs: [a, b, c, d, e, f, g]\n", false, `the file does not match "a", "b", "c", "d", "e" and 2 more`},
		{"globs: ['**/*.go']\ntargets: [claude, zed]\n", false, "it is for claude, zed"},
		{"globs: ['**/*.py']\nactivation: always\n", true, "always"},
		{"activation: glob\n", false, "its activation is glob and it has no globs"},
		{"activation: manual\n", false, "manual: read only when it is asked for by name"},
		{"activation: auto\n", false, "auto: read when the model finds that the description fits"},
		{"prompt: true\n", false, "it is a prompt"},
		{"prompt: true\nactivation: always\n", true, "always"},
		{"skill: {license: MIT}\n", false, "it is a skill"},
	} {
		f, problems := frontmatter.Parse(tc.extra)
		if got := selection.Decide(&f, q); got.Applies != tc.want || got.Reason != tc.reason || len(problems) > 0 {
			t.Errorf("%q: %+v, %v", tc.extra, got, problems)
		}
	}
}

func TestLayers(t *testing.T) {
	for tags, want := range map[string]string{"": "project", "go org/": "org", "team/payments org/": "team", "user": "project", "user/": "user", "organic/": "project"} {
		if got, _ := selection.LayerOf(strings.Fields(tags)); got.String() != want {
			t.Errorf("%q: %s", tags, got)
		}
	}
	places := []selection.Place{{selection.User, 0, "a"}, {selection.Org, 5, "a"}, {selection.Org, -1, "b"}, {selection.Org, -1, "a"}}
	slices.SortFunc(places, selection.Compare)
	if got := fmt.Sprint(places); got != "[{org -1 a} {org -1 b} {org 5 a} {user 0 a}]" {
		t.Error(got)
	}
}

// matches is the definition of a glob, as slow as it may be: braces are written out,
// and folders are compared one by one.
func matches(glob, path string) bool {
	if open := strings.IndexByte(glob, '{'); open >= 0 {
		end := open + strings.IndexByte(glob[open:], '}')
		return slices.ContainsFunc(strings.Split(glob[open+1:end], ","), func(one string) bool {
			return matches(glob[:open]+one+glob[end+1:], path)
		})
	}
	return matchFolders(strings.Split(glob, "/"), strings.Split(path, "/"))
}

func matchFolders(glob, path []string) bool {
	switch {
	case len(glob) == 0:
		return len(path) == 0
	case len(glob) == 1 && glob[0] == "**":
		return len(path) > 0
	case glob[0] == "**":
		return matchFolders(glob[1:], path) || len(path) > 0 && matchFolders(glob, path[1:])
	}
	return len(path) > 0 && matchName(glob[0], path[0]) && matchFolders(glob[1:], path[1:])
}

func matchName(glob, name string) bool {
	switch {
	case glob == "":
		return name == ""
	case glob[0] == '*':
		return matchName(glob[1:], name) || name != "" && matchName(glob, name[1:])
	}
	return name != "" && (glob[0] == '?' || glob[0] == name[0]) && matchName(glob[1:], name[1:])
}

// A glob of random parts matches the paths of a random tree as its definition says.
func TestMatchAgainstDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	hits := 0
	for range 2000 {
		glob := randomGlob(random)
		for range 20 {
			path := randomPath(random)
			got, want := selection.Match(glob, path), matches(glob, path)
			if got != want {
				t.Fatalf("%q on %q: %t, want %t", glob, path, got, want)
			}
			if got {
				hits++
			}
		}
	}
	if hits < 1000 {
		t.Errorf("only %d of 40000 matched: the parts do not fit", hits)
	}
}

func pick(random *rand.Rand, from ...string) string { return from[random.IntN(len(from))] }

func randomPath(random *rand.Rand) string {
	parts := make([]string, 1+random.IntN(4))
	for i := range parts {
		parts[i] = pick(random, "a", "b", "src", "api", "ab")
	}
	parts[len(parts)-1] += pick(random, "", ".go", ".ts", ".tsx")
	return strings.Join(parts, "/")
}

func randomGlob(random *rand.Rand) string {
	parts := make([]string, 1+random.IntN(4))
	for i := range parts {
		parts[i] = pick(random, "**", "*", "a", "b", "src", "?", "a*", "{a,api}", "*b")
	}
	parts[len(parts)-1] = pick(random, "**", "*", "*.go", "*.{ts,tsx}", "a.ts", "?.go", "src*")
	return strings.Join(parts, "/")
}
