package main

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A front is what a person may change of a ruleset beside its Markdown.
type front struct {
	Name        string   `yaml:"name,omitempty"` // read when importing, never written
	Description string   `yaml:"description"`
	Tags        []string `yaml:"tags,flow"`
}

const fence = "---\n"

// editable is a ruleset as a text for an editor: YAML front matter, an empty
// line, the Markdown as it is.
func editable(r ruleset.Ruleset) ([]byte, error) {
	head, err := yaml.Marshal(front{Description: r.Description, Tags: append([]string{}, r.Tags...)})
	if err != nil {
		return nil, fmt.Errorf("front matter of %s: %w", r.Name, err)
	}
	return []byte(fence + string(head) + fence + "\n" + r.Markdown), nil
}

// edited reads what a person made of an editable text. Editors end the last
// line of a file; a Markdown that did not end so is taken as unchanged then.
func edited(text []byte, old ruleset.Ruleset) (ruleset.Ruleset, error) {
	f, body, err := splitFront(strings.ReplaceAll(string(text), "\r\n", "\n"))
	if err != nil {
		return old, err
	}
	fresh := old
	fresh.Description, fresh.Tags, fresh.Markdown = f.Description, f.Tags, body
	if body == old.Markdown+"\n" {
		fresh.Markdown = old.Markdown
	}
	return fresh, nil
}

// splitFront takes a text apart at its front matter.
func splitFront(text string) (f front, body string, err error) {
	rest, opened := strings.CutPrefix(text, fence)
	head, body, closed := strings.Cut("\n"+rest, "\n"+fence)
	if !opened || !closed {
		return f, "", errors.New("the front matter does not stand between two lines of ---")
	}
	if err := yaml.Unmarshal([]byte(head), &f); err != nil {
		return f, "", fmt.Errorf("the front matter: %w", err)
	}
	return f, strings.TrimPrefix(body, "\n"), nil
}
