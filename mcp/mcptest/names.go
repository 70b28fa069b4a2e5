package mcptest

import "regexp"

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

// learn defines the names of the groups (?<name>…) in a turn's pattern.
func (n names) learn(t turn, got string) {
	if t.pattern == nil {
		return
	}
	for i, value := range t.pattern.FindStringSubmatch(got) {
		if name := t.pattern.SubexpNames()[i]; name != "" {
			n[name] = value
		}
	}
}

// resolve returns the turn with names replaced by their values.
func (n names) resolve(t turn) (turn, error) {
	var err error
	if t.pattern != nil {
		t.pattern, err = compile(t.text, n)
	} else if t.kind != remark {
		t.text = n.in(t.text, plain)
	}
	return t, err
}
