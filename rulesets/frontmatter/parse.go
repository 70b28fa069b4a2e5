package frontmatter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A reader reads the value of one key.
type reader struct {
	key  string
	read func(f *Fields, value *yaml.Node) error
	// write returns the value that stands for f, nil if the key is not needed.
	write func(f *Fields) *yaml.Node
}

// keys is the canonical model, in the order in which new keys are written.
var keys = []reader{
	{"globs", readList(func(f *Fields) *[]string { return &f.Globs }), func(f *Fields) *yaml.Node { return list(f.Globs) }},
	{"activation", readActivation, func(f *Fields) *yaml.Node { return word(string(f.Activation)) }},
	{"targets", readList(func(f *Fields) *[]string { return &f.Targets }), func(f *Fields) *yaml.Node { return list(f.Targets) }},
	{"root", decode(func(f *Fields) any { return &f.Root }, "true or false"), func(f *Fields) *yaml.Node { return flag(f.Root) }},
	{"order", decode(func(f *Fields) any { return &f.Order }, "a number"), func(f *Fields) *yaml.Node { return number(f.Order) }},
	{"include", readInclude, func(f *Fields) *yaml.Node { return references(f.Include) }},
	{"prompt", decode(func(f *Fields) any { return &f.Prompt }, "true or false"), func(f *Fields) *yaml.Node { return flag(f.Prompt) }},
	{"arguments", readArguments, func(f *Fields) *yaml.Node { return arguments(f.Arguments) }},
	{"skill", readSkill, func(f *Fields) *yaml.Node { return skill(f.Skill) }},
	{"owner", readWord(func(f *Fields) *string { return &f.Owner }), func(f *Fields) *yaml.Node { return word(f.Owner) }},
	{"status", readWord(func(f *Fields) *string { return &f.Status }), func(f *Fields) *yaml.Node { return word(f.Status) }},
	{"review_after", readDay, func(f *Fields) *yaml.Node { return word(f.ReviewAfter) }},
	{"extra", readExtra, func(f *Fields) *yaml.Node { return extras(f.Extra) }},
}

// Known reports whether a key is one of the canonical model.
func Known(key string) bool {
	return slices.ContainsFunc(keys, func(k reader) bool { return k.key == key })
}

// Of returns the fields of a ruleset.
func Of(r ruleset.Ruleset) (Fields, []Problem) {
	return parse(r.Extra, r.Description != "")
}

// Parse returns the fields of a text of keys, as of a ruleset that has a
// description.
func Parse(extra string) (Fields, []Problem) { return parse(extra, true) }

func parse(extra string, described bool) (Fields, []Problem) {
	if extra == "" { // most rulesets
		return Fields{}, nil
	}
	root, err := mapping(extra)
	if err != nil {
		return Fields{}, []Problem{{Line: 1, Reason: err.Error()}}
	}
	return read(root, described)
}

// read returns the fields of a mapping; described tells whether the ruleset has a
// description.
func read(root *yaml.Node, described bool) (Fields, []Problem) {
	var f Fields
	var problems []Problem
	note := func(key string, value *yaml.Node, err error) {
		if err != nil {
			problems = append(problems, Problem{key, value.Line, err.Error()})
		}
	}
	for _, k := range keys {
		value := valueOf(root, k.key)
		if value != nil && isNull(value) && k.key == "review_after" {
			note(k.key, value, errNoDay) // a form that was never filled in
		} else if value != nil && !isNull(value) {
			note(k.key, value, k.read(&f, value))
		}
	}
	for _, a := range aliases {
		if value := valueOf(root, a.key); value != nil && !isNull(value) {
			note(a.key, value, a.read(&f, value, described))
		}
	}
	return f, problems
}

// mapping parses a text of keys.
func mapping(extra string) (*yaml.Node, error) {
	if keys, ok := Plain(extra); ok {
		return keys, nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(extra), &root); err != nil {
		return nil, fmt.Errorf("the front matter: %w", err)
	}
	if root.Kind == 0 {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, nil
	}
	if root.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the front matter is not a YAML mapping")
	}
	return root.Content[0], nil
}

// valueOf returns the value of a key, nil if it is missing. An alias is resolved.
func valueOf(root *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return resolve(root.Content[i+1])
		}
	}
	return nil
}

func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Tag == "!!null" }

// texts reads a list of texts, or a text with commas.
func texts(value *yaml.Node) ([]string, error) {
	switch value.Kind {
	case yaml.ScalarNode:
		return splitCommas(value.Value), nil
	case yaml.SequenceNode:
		all := make([]string, 0, len(value.Content))
		for _, n := range value.Content {
			if n = resolve(n); n.Kind != yaml.ScalarNode || isNull(n) {
				return nil, errors.New("must be a list of texts")
			}
			all = append(all, strings.TrimSpace(n.Value))
		}
		return slices.DeleteFunc(all, func(s string) bool { return s == "" }), nil
	}
	return nil, errors.New("must be a list of texts")
}

// splitCommas splits at commas outside braces. Empty parts are left out.
func splitCommas(s string) []string {
	var parts []string
	depth, from := 0, 0
	add := func(part string) {
		if part = strings.Trim(strings.TrimSpace(part), `"'`); part != "" {
			parts = append(parts, part)
		}
	}
	for i, c := range s {
		switch {
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			add(s[from:i])
			from = i + 1
		}
	}
	add(s[from:])
	return parts
}

func readList(field func(*Fields) *[]string) func(*Fields, *yaml.Node) error {
	return func(f *Fields, value *yaml.Node) (err error) {
		*field(f), err = texts(value)
		return err
	}
}

// readWord reads a text of one line, or a list of such.
func readWord(field func(*Fields) *string) func(*Fields, *yaml.Node) error {
	return func(f *Fields, value *yaml.Node) error {
		all, err := texts(value)
		*field(f) = strings.Join(all, ", ")
		return err
	}
}

var errNoDay = errors.New("must be a day such as 2026-11-30")

func readDay(f *Fields, value *yaml.Node) error {
	text := strings.TrimSpace(value.Value)
	if _, err := time.Parse(time.DateOnly, text); value.Kind != yaml.ScalarNode || err != nil {
		return errNoDay
	}
	f.ReviewAfter = text
	return nil
}

// decode reads a scalar; form names the wanted values in the error.
func decode(field func(*Fields) any, form string) func(*Fields, *yaml.Node) error {
	return func(f *Fields, value *yaml.Node) error {
		if value.Decode(field(f)) != nil {
			return errors.New("must be " + form)
		}
		return nil
	}
}

func readActivation(f *Fields, value *yaml.Node) error {
	switch mode := Mode(value.Value); mode {
	case Always, Glob, Auto, Manual:
		f.Activation = mode
		return nil
	}
	return errors.New("must be always, glob, auto or manual")
}

func readInclude(f *Fields, value *yaml.Node) error {
	words, err := texts(value)
	if err != nil {
		return err
	}
	var errs []error
	for _, word := range words {
		ref, err := ParseReference(word)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		f.Include = append(f.Include, ref)
	}
	return errors.Join(errs...)
}

func readArguments(f *Fields, value *yaml.Node) error {
	if value.Kind != yaml.SequenceNode {
		return errors.New("must be a list of names, or of mappings with name, description and required")
	}
	seen := map[string]bool{}
	for _, n := range value.Content {
		var a struct {
			Name        string   `yaml:"name"`
			Description string   `yaml:"description"`
			Required    bool     `yaml:"required"`
			Values      []string `yaml:"values"`
		}
		if n = resolve(n); n.Kind == yaml.ScalarNode {
			a.Name = n.Value
		} else if n.Decode(&a) != nil {
			return errors.New("must be a list of names, or of mappings with name, description and required")
		}
		if a.Name == "" || seen[a.Name] {
			f.Arguments = nil
			return errors.New("each needs a name of its own")
		}
		seen[a.Name] = true
		f.Arguments = append(f.Arguments, Argument(a))
	}
	return nil
}

func readSkill(f *Fields, value *yaml.Node) error {
	if value.Kind == yaml.ScalarNode { // skill: true
		var is bool
		if value.Decode(&is) != nil {
			return errors.New("must be a mapping, or true")
		}
		if f.NoSkill = !is; is {
			f.Skill = &Skill{}
		}
		return nil
	}
	if value.Kind != yaml.MappingNode {
		return errors.New("must be a mapping, or true")
	}
	s := &Skill{}
	rest := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	var errs []error
	for i := 0; i+1 < len(value.Content); i += 2 {
		key, v := value.Content[i].Value, resolve(value.Content[i+1])
		switch key {
		case "license":
			s.License = v.Value
		case "compatibility":
			s.Compatibility = v.Value
		case "metadata":
			if v.Decode(&s.Metadata) != nil {
				errs = append(errs, errors.New("metadata must have texts as values"))
			}
		case "allowed-tools":
			if v.Kind == yaml.ScalarNode {
				s.AllowedTools = strings.Fields(v.Value)
			} else if v.Decode(&s.AllowedTools) != nil {
				errs = append(errs, errors.New("allowed-tools must be a text or a list of texts"))
			}
		default:
			rest.Content = append(rest.Content, value.Content[i], value.Content[i+1])
		}
	}
	var err error
	s.Extra, err = encode(rest)
	f.Skill = s
	return errors.Join(append(errs, err)...)
}

func readExtra(f *Fields, value *yaml.Node) error {
	if value.Kind != yaml.MappingNode {
		return errors.New("must be a mapping of clients")
	}
	var errs []error
	f.Extra = map[string]string{}
	for i := 0; i+1 < len(value.Content); i += 2 {
		client, v := value.Content[i].Value, resolve(value.Content[i+1])
		if v.Kind != yaml.MappingNode {
			errs = append(errs, fmt.Errorf("%s must be a mapping", client))
			continue
		}
		lines, err := encode(block(v))
		f.Extra[client], errs = lines, append(errs, err)
	}
	return errors.Join(errs...)
}
