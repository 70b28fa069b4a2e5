package document

import (
	"regexp"
	"sync"
)

// lazyRegexp is an expression that is compiled when it is first asked for: many
// processes never read XML.
func lazyRegexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
