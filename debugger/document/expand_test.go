package document

import (
	"path"
	"strings"
	"testing"
)

// obviously matches as one would say it: a ** is nothing, or one part and a **.
func obviously(pattern, name []string) bool {
	switch {
	case len(pattern) == 0:
		return len(name) == 0
	case pattern[0] == "**":
		return obviously(pattern[1:], name) || len(name) > 0 && obviously(pattern, name[1:])
	case len(name) == 0:
		return false
	}
	ok, _ := path.Match(pattern[0], name[0])
	return ok && obviously(pattern[1:], name[1:])
}

func FuzzPattern(f *testing.F) {
	f.Add("**/a/**", "x/a/y")
	f.Add("a*/**/b", "ab/b")
	f.Add("**/**/c", "c")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern) > 30 || len(name) > 30 {
			return // the obvious way takes exponential time
		}
		p, n := strings.Split(pattern, "/"), strings.Split(name, "/")
		if got, want := matchParts(p, n), obviously(p, n); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, name, got, want)
		}
	})
}
