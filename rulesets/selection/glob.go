package selection

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	// maxGlob is the length limit of a glob.
	maxGlob = 1024
	// maxAlternatives limits in how many ways the braces of a glob can be read.
	maxAlternatives = 256
)

// ValidGlob reports whether a glob can be matched.
func ValidGlob(glob string) bool {
	pattern, _ := normalize(glob)
	return pattern != "" && len(pattern) <= maxGlob && alternatives(pattern) <= maxAlternatives && doublestar.ValidatePattern(pattern)
}

// Match reports whether a glob matches a path. It reports false for a glob that is
// not valid. A glob that excludes ("!…") matches what it excludes.
func Match(glob, path string) bool {
	pattern, _ := normalize(glob)
	prefix, suffix := literals(pattern)
	if !strings.HasPrefix(path, prefix) || !strings.HasSuffix(path, suffix) {
		return false // most globs, at the cost of a comparison
	}
	return ValidGlob(glob) && doublestar.MatchUnvalidated(pattern, path)
}

// normalize returns the pattern of a glob, and whether it excludes.
func normalize(glob string) (pattern string, excludes bool) {
	pattern, excludes = strings.CutPrefix(strings.TrimSpace(glob), "!")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "./"), "/")
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	if strings.HasSuffix(pattern, "/**") {
		pattern += "/*" // a/** matches the files below a, not a file a
	}
	return pattern, excludes
}

// meta are the bytes that do not stand for themselves in a pattern.
const meta = `*?[]{}\`

// literals returns the text that every match begins with, and the one that it ends
// with.
func literals(pattern string) (prefix, suffix string) {
	first := strings.IndexAny(pattern, meta)
	if first < 0 {
		return pattern, pattern
	}
	suffix = pattern[strings.LastIndexAny(pattern, meta)+1:]
	return pattern[:first], strings.TrimPrefix(suffix, "/") // "**/a" matches "a"
}

// alternatives returns in how many ways the braces of a pattern can be read, up to a
// little more than the limit.
func alternatives(pattern string) int {
	product, depth, commas := 1, 0, 0
	for i := 0; i < len(pattern) && product <= maxAlternatives; i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			depth++
		case ',':
			if depth > 0 {
				commas++
			}
		case '}':
			if depth--; depth == 0 {
				product *= commas + 1
				commas = 0
			}
		}
	}
	return product
}
