package mcptest

import "regexp"

// names are the values that a conversation has given names: $name stands for
// the value in what is sent and in what is expected. Other words with a $ are
// as they stand.
type names map[string]string

var reference = regexp.MustCompile(`\$[A-Za-z_]+`)

// in puts values, each as quote has it, in the place of names.
func (n names) in(text string, quote func(string) string) string {
	return reference.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := n[name[1:]]; ok {
			return quote(value)
		}
		return name
	})
}

// plain is a value as it is.
func plain(value string) string { return value }

// learn takes what the groups (?<name>…) of a turn's pattern match.
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

// resolve is the turn with values in the place of names.
func (n names) resolve(t turn) (turn, error) {
	var err error
	if t.pattern != nil {
		t.pattern, err = compile(t.text, n)
	} else if t.kind != remark {
		t.text = n.in(t.text, plain)
	}
	return t, err
}
