package lint

import (
	"regexp"
	"sync"
)

// lazy returns a function that compiles an expression on its first call. Most runs
// of the program check no text, and the expressions here take longer to compile
// than such a run takes to start.
func lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
