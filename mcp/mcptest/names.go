package mcptest

import (
	"errors"
	"regexp"
	"strings"
)

// names maps the names that a conversation has defined to their values. $name is
// replaced by the value in sent and expected lines. Unknown names stay unchanged.
type names map[string]string

var reference = regexp.MustCompile(`\$[A-Za-z_]+`)

// in replaces the names in text by their values, each passed through quote.
func (n names) in(text string, quote func(string) string) string {
	return reference.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := n[name[1:]]; ok {
			return quote(value)
		}
		return name
	})
}

// plain returns value unchanged.
func plain(value string) string { return value }

// compile compiles a text in which only the parts in backquotes are regular
// expressions. Values of names are always literal.
func compile(text string, n names) (*regexp.Regexp, error) {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return nil, errors.New("missing closing backquote")
	}
	for i := range parts {
		if i%2 == 0 {
			parts[i] = regexp.QuoteMeta(n.in(parts[i], plain))
		} else {
			parts[i] = "(?:" + n.in(parts[i], regexp.QuoteMeta) + ")"
		}
	}
	return regexp.Compile("^" + strings.Join(parts, "") + "$")
}
