package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Merge returns a text of keys that means f and keeps all that f does not speak of.
// A key whose value means the same already stays as it is. An editor's key for
// something that changes is removed, for the canonical key to replace it.
func (f *Fields) Merge(extra string) (string, error) {
	root, err := mapping(extra)
	if err != nil {
		return "", err
	}
	changed := false
	for f.mergeOnce(root) { // again if an editor's key means another thing now
		changed = true
	}
	if !changed {
		return extra, nil
	}
	return encode(root)
}

// mergeOnce sets the keys that do not mean f, and reports whether there were any.
// Each key that is set has its editors' keys removed, so that it means f for good.
func (f *Fields) mergeOnce(root *yaml.Node) (changed bool) {
	old, _ := read(root, true)
	for _, k := range keys {
		value := k.write(f)
		if same(k.write(&old), value) {
			continue
		}
		changed = true
		for _, a := range aliases {
			if a.means == k.key {
				remove(root, a.key)
			}
		}
		set(root, k.key, value)
	}
	return changed
}

// Remove returns a text of keys without some of them.
func Remove(extra string, names ...string) (string, error) {
	root, err := mapping(extra)
	if err != nil {
		return "", err
	}
	before := len(root.Content)
	for _, name := range names {
		remove(root, name)
	}
	if len(root.Content) == before {
		return extra, nil
	}
	return encode(root)
}

// Others returns the keys of a text that are neither of the canonical model nor an
// editor's word for one of its keys, as the lines of a YAML mapping.
func Others(extra string) (string, error) {
	names := make([]string, 0, len(keys)+len(aliases))
	for _, k := range keys {
		names = append(names, k.key)
	}
	for _, a := range aliases {
		names = append(names, a.key)
	}
	return Remove(extra, names...)
}

// same reports whether two values mean the same.
func same(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	var x, y any
	return a.Decode(&x) == nil && b.Decode(&y) == nil && reflect.DeepEqual(x, y)
}

func remove(root *yaml.Node, key string) {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			root.Content = slices.Delete(root.Content, i, i+2)
			return
		}
	}
}

// set gives a key a value in its place, at the end if it is new. Nil removes it.
func set(root *yaml.Node, key string, value *yaml.Node) {
	if value == nil {
		remove(root, key)
		return
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if old := root.Content[i+1]; root.Content[i].Value == key {
			value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
			root.Content[i+1] = value
			return
		}
	}
	root.Content = append(root.Content, word(key), value)
}

// block returns a mapping with one line or more for each key, not {a: b}.
func block(m *yaml.Node) *yaml.Node {
	lines := *m
	lines.Style &^= yaml.FlowStyle
	return &lines
}

// encode returns a mapping as lines, "" if it is empty.
func encode(root *yaml.Node) (string, error) {
	if len(root.Content) == 0 {
		return "", nil
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		return "", fmt.Errorf("the front matter: %w", err)
	}
	return b.String(), nil
}

// The functions below return the node of a value, nil for the zero value.

func word(s string) *yaml.Node {
	if s == "" {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}

func flag(b bool) *yaml.Node {
	if !b {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}
}

func number(n int) *yaml.Node {
	if n == 0 {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

func list(all []string) *yaml.Node {
	if len(all) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, s := range all {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s})
	}
	return n
}

func references(all []Reference) *yaml.Node {
	words := make([]string, len(all))
	for i, r := range all {
		words[i] = r.String()
	}
	return list(words)
}

// pair adds a key to a mapping unless the value is nil.
func pair(n *yaml.Node, key string, value *yaml.Node) {
	if value != nil {
		n.Content = append(n.Content, word(key), value)
	}
}

func arguments(all []Argument) *yaml.Node {
	if len(all) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, a := range all {
		m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		pair(m, "name", word(a.Name))
		pair(m, "description", word(a.Description))
		pair(m, "required", flag(a.Required))
		pair(m, "values", list(a.Values))
		n.Content = append(n.Content, m)
	}
	return n
}

func skill(s *Skill) *yaml.Node {
	if s == nil {
		return nil
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	pair(n, "license", word(s.License))
	pair(n, "compatibility", word(s.Compatibility))
	if len(s.Metadata) > 0 {
		m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, key := range slices.Sorted(maps.Keys(s.Metadata)) {
			m.Content = append(m.Content, word(key), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s.Metadata[key]})
		}
		pair(n, "metadata", m)
	}
	pair(n, "allowed-tools", word(strings.Join(s.AllowedTools, " ")))
	if rest, err := mapping(s.Extra); err == nil {
		n.Content = append(n.Content, rest.Content...)
	}
	if len(n.Content) == 0 { // skill: true
		return flag(true)
	}
	return n
}

func extras(all map[string]string) *yaml.Node {
	if len(all) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for _, client := range slices.Sorted(maps.Keys(all)) {
		if m, err := mapping(all[client]); err == nil {
			n.Content = append(n.Content, word(client), m)
		}
	}
	return n
}
