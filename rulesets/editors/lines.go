package editors

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
)

// A mapping is the text of a YAML mapping, divided into its keys. Keys that are not
// set keep their bytes, with comments, quotes and order. Text that is not YAML is
// kept, too: Cursor writes globs that no YAML parser reads.
type mapping struct{ items []item }

// An item is a key with its lines, or lines between keys, which have the key "".
type item struct{ key, text string }

// keyLine matches the first line of a key.
var keyLine = regexp.MustCompile(`^(?:([A-Za-z_$][\w.$-]*)|"([^"\\]+)"|'([^']+)')[ \t]*:(?:[ \t]|\r?\n|$)`)

// splitMapping divides text, whose lines end with \n.
func splitMapping(text string) mapping {
	var m mapping
	pending := "" // comments and empty lines, which belong to the next key or inside this one
	for line := range strings.Lines(text) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || line[0] == '#':
			pending += line
			continue
		case keyOf(line) != "":
			m.append("", pending)
			m.append(keyOf(line), line)
		case len(m.items) == 0:
			m.append("", pending+line)
		default:
			last := &m.items[len(m.items)-1]
			last.text += pending + line
		}
		pending = ""
	}
	m.append("", pending)
	return m
}

// keyOf returns the key that a line begins, "" if it begins none.
func keyOf(line string) string {
	if line == "" || line[0] == ' ' || line[0] == '\t' || line[0] == '-' {
		return ""
	}
	parts := keyLine.FindStringSubmatch(line)
	if parts == nil {
		return ""
	}
	return parts[1] + parts[2] + parts[3]
}

func (m *mapping) append(key, text string) {
	if text != "" {
		m.items = append(m.items, item{key, text})
	}
}

func (m *mapping) String() string {
	var b strings.Builder
	for _, it := range m.items {
		b.WriteString(it.text)
	}
	return b.String()
}

func (m *mapping) index(key string) int {
	for i, it := range m.items {
		if it.key == key {
			return i
		}
	}
	return -1
}

// set replaces the lines of a key, or appends them. Text ends with \n.
func (m *mapping) set(key, text string) {
	if i := m.index(key); i >= 0 {
		m.items[i].text = text
		return
	}
	m.endLine()
	m.append(key, text)
}

// endLine ends the last line.
func (m *mapping) endLine() {
	if n := len(m.items); n > 0 && !strings.HasSuffix(m.items[n-1].text, "\n") {
		m.items[n-1].text += "\n"
	}
}

func (m *mapping) delete(key string) {
	if i := m.index(key); i >= 0 {
		m.items = append(m.items[:i:i], m.items[i+1:]...)
	}
}

// node returns the value of a key, nil if there is none. A value that is not YAML is
// read by [frontmatter.Lenient].
func (m *mapping) node(key string) *yaml.Node {
	i := m.index(key)
	if i < 0 {
		return nil
	}
	_, rest, _ := strings.Cut(m.items[i].text, ":")
	if plain, ok := plainScalar(rest); ok {
		return plain
	}
	var root yaml.Node
	text, _ := frontmatter.Lenient(m.items[i].text)
	if yaml.Unmarshal([]byte(text), &root) == nil && len(root.Content) == 1 && len(root.Content[0].Content) == 2 {
		return resolve(root.Content[0].Content[1])
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.TrimSpace(rest)}
}

// plain matches values that mean the same in YAML and as plain text, which are most.
var plain = regexp.MustCompile(`^[ \t]*([A-Za-z/][\w ./,-]*)?\n?$`)

// plainScalar returns the node of a value for which no parser is needed.
func plainScalar(text string) (*yaml.Node, bool) {
	parts := plain.FindStringSubmatch(text)
	if parts == nil {
		return nil, false
	}
	value := strings.TrimRight(parts[1], " ")
	tag := "!!str"
	switch strings.ToLower(value) {
	case "true", "false":
		tag = "!!bool"
	case "", "null":
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, true
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}, true
}

// resolve replaces an alias by its node.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// scalar returns the text of a key, "" if there is none.
func (m *mapping) scalar(key string) string {
	if n := m.node(key); n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return n.Value
	}
	return ""
}

// truth reports whether a key is true.
func (m *mapping) truth(key string) bool {
	n := m.node(key)
	return n != nil && n.Tag == "!!bool" && strings.EqualFold(n.Value, "true")
}

// list returns the texts of a key: the items of a sequence, or those between the
// commas of a text.
func (m *mapping) list(key string) []string {
	return texts(m.node(key))
}

func texts(n *yaml.Node) []string {
	var all []string
	switch {
	case n == nil || n.Tag == "!!null":
	case n.Kind == yaml.ScalarNode:
		return splitGlobs(n.Value)
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if item = resolve(item); item.Kind == yaml.ScalarNode && item.Tag != "!!null" {
				all = append(all, item.Value)
			}
		}
	}
	return all
}

// splitGlobs divides a text at the commas that are outside of braces.
func splitGlobs(text string) []string {
	var all []string
	depth, from := 0, 0
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '{' || c == '[' || c == '(':
			depth++
		case c == '}' || c == ']' || c == ')':
			depth--
		case c == ',' && depth <= 0:
			add(text[from:i])
			from = i + 1
		}
	}
	add(text[from:])
	return all
}

// yamlText returns a text as one line of YAML.
func yamlText(s string) string {
	if s != "" && s == strings.TrimSpace(s) {
		switch {
		case ambiguous[strings.ToLower(s)]:
			return quoted(s)
		case plain.MatchString(s):
			return s
		case withColons.MatchString(s) && strings.Contains(s, ": "):
			return "'" + s + "'"
		}
	}
	node := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsAny(s, "\n\r\t\u0085\u2028\u2029") {
		node.Style = yaml.DoubleQuotedStyle
	}
	out, err := yaml.Marshal(&node)
	line := strings.TrimSuffix(string(out), "\n")
	if err != nil || strings.Contains(line, "\n") {
		return quoted(s)
	}
	return line
}

// withColons matches texts that are quoted for a colon with a space behind it alone.
// Most descriptions are plain or of this form, and the emitter is slow.
var withColons = regexp.MustCompile(`^[A-Za-z/][\w ./,:-]*[\w./,-]$`)

// ambiguous has the words that YAML 1.1 or 1.2 reads as another type than text, as far
// as they begin with a letter.
var ambiguous = map[string]bool{
	"y": true, "yes": true, "on": true, "true": true, "n": true, "no": true, "off": true, "false": true, "null": true,
}

// quoted returns a text between double quotes, on one line.
func quoted(s string) string { return `"` + escapes.Replace(s) + `"` }

var escapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// lines returns a mapping as lines of YAML, "" for any other node.
func lines(n *yaml.Node) string {
	if n == nil || n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		return ""
	}
	inBlock := *n
	inBlock.Style &^= yaml.FlowStyle
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if enc.Encode(&inBlock) != nil || enc.Close() != nil {
		return ""
	}
	return b.String()
}

// listText returns a key with a list of quoted texts, one a line.
func listText(key string, values []string) string {
	var b strings.Builder
	b.WriteString(key + ":\n")
	for _, v := range values {
		b.WriteString("  - " + quoted(v) + "\n")
	}
	return b.String()
}
