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
}

// ParseSelection reads a [SelectionFile].
func ParseSelection(data []byte) (s Selection, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return s, fmt.Errorf("%s: %w", SelectionFile, err)
	}
	if err := s.Check(); err != nil {
		return s, fmt.Errorf("%s: %w", SelectionFile, err)
	}
	return s, nil
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
	return nil
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
