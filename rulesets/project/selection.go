package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/editors"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/selection"
)

// SelectionFile is the file that selects the rulesets and the clients of a project.
const SelectionFile = ".triptych.yaml"

// A Selection selects rulesets of a project, and the clients that they are written for.
type Selection struct {
	Targets []string `yaml:"targets,flow"`
	// Select has patterns of names, "tag:TAG" and "layer:LAYER"; a ruleset is selected
	// by any of them. With "!" before it, a pattern of names excludes. Without one
	// that selects, all rulesets are.
	Select []string `yaml:"select,flow,omitempty"`
	Label  string   `yaml:"label,omitempty"` // the revisions with this label; empty means the newest
	// Project is the name that a server hears of, if it asks for reports.
	Project string `yaml:"project,omitempty"`
	// Server is the URL of the server that the rulesets are from.
	Server string `yaml:"server,omitempty"`
	Plugin Plugin `yaml:"plugin,omitempty"` // for [editors.PluginTarget]
}

// A keyForm is a key and what its value must be, for errors.
type keyForm struct{ name, form string }

// takes reports whether a value has the form of a key.
func (k keyForm) takes(value *yaml.Node) bool {
	switch {
	case strings.HasPrefix(k.form, "a list"):
		return value.Kind == yaml.SequenceNode && !slices.ContainsFunc(value.Content, func(n *yaml.Node) bool { return n.Kind != yaml.ScalarNode })
	case strings.HasPrefix(k.form, "a mapping"):
		return value.Kind == yaml.MappingNode
	case strings.HasPrefix(k.form, "true"):
		return value.Tag == "!!bool"
	}
	return value.Kind == yaml.ScalarNode
}

// keys are the keys of a [SelectionFile].
var keys = []keyForm{
	{"targets", "a list of clients, such as [claude, cursor]"},
	{"select", "a list of patterns, such as ['go_*', 'tag:team', '!old_*']"},
	{"label", "a text"},
	{"project", "a text"},
	{"server", "a URL, such as https://rules.example/mcp"},
	{"plugin", "a mapping, such as {name: acme-rules, claude: true}"},
}

// checkKeys reports a key that does not exist or has a value of another form, with its
// line.
func checkKeys(root *yaml.Node, keys []keyForm) error {
	if root.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: it is not a mapping of keys such as targets: [cursor]", root.Line)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		at := slices.IndexFunc(keys, func(k keyForm) bool { return k.name == key.Value })
		if at < 0 {
			return fmt.Errorf("line %d: %w", key.Line, unknownKey(key.Value, keys))
		}
		if value.Tag != "!!null" && !keys[at].takes(value) {
			return fmt.Errorf("line %d: %s must be %s", key.Line, key.Value, keys[at].form)
		}
		if value.Kind == yaml.MappingNode {
			if err := checkKeys(value, pluginKeys); err != nil {
				return err
			}
		}
	}
	return nil
}

func unknownKey(word string, keys []keyForm) error {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	near := editors.Nearest(word, names)
	if near == "" {
		return fmt.Errorf("unknown key %q; there are %s", word, strings.Join(names, ", "))
	}
	return fmt.Errorf("unknown key %q; did you mean %s? There are %s", word, near, strings.Join(names, ", "))
}

// ParseSelection reads a [SelectionFile].
func ParseSelection(data []byte) (s Selection, err error) {
	root, err := parseKeys(data, keys)
	if err == nil && root != nil {
		err = root.Decode(&s)
	}
	if err == nil {
		err = s.Check()
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", SelectionFile, yamlError(err))
	}
	return s, nil
}

// decodeOne reads the first document of a file in YAML, if it has one.
func decodeOne(data []byte, document *yaml.Node) error {
	if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(document); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Check reports a target, a layer or a label that does not exist.
func (s Selection) Check() error {
	if _, err := editors.Targets(s.Targets); err != nil {
		return err
	}
	for _, word := range s.Select {
		if layer, ok := strings.CutPrefix(word, "layer:"); ok {
			if _, known := selection.LayerOf([]string{layer + "/"}); !known {
				return fmt.Errorf("unknown layer %q; there are org, team, project and user", layer)
			}
		}
	}
	if s.Label != "" {
		if _, err := ruleset.ParseLabel(s.Label); err != nil {
			return err
		}
	}
	return s.Plugin.check()
}

// Text returns the selection as a file.
func (s Selection) Text() ([]byte, error) {
	text, err := yaml.Marshal(s)
	return append([]byte("# What `triptych rulesets pull` keeps up to date here.\n"), text...), err
}

// Selects reports whether a ruleset is selected.
func (s Selection) Selects(m ruleset.Meta) bool {
	selected, any := false, false
	for _, word := range s.Select {
		if pattern, excludes := strings.CutPrefix(word, "!"); excludes {
			if ruleset.Match(pattern, string(m.Name)) {
				return false
			}
			continue
		}
		any = true
		selected = selected || matches(word, m)
	}
	return selected || !any
}

func matches(word string, m ruleset.Meta) bool {
	if tag, ok := strings.CutPrefix(word, "tag:"); ok {
		return slices.Contains(m.Tags, tag)
	}
	if layer, ok := strings.CutPrefix(word, "layer:"); ok {
		return selection.LayerOfRuleset(m).String() == layer
	}
	return ruleset.Match(word, string(m.Name))
}
