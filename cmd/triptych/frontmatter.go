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
	plain := strings.ReplaceAll(string(text), "\r\n", "\n")
	rest, opened := strings.CutPrefix(plain, fence)
	head, body, closed := strings.Cut("\n"+rest, "\n"+fence)
	if !opened || !closed {
		return old, errors.New("the front matter between the two lines of --- is gone")
	}
	var f front
	if err := yaml.Unmarshal([]byte(head), &f); err != nil {
		return old, fmt.Errorf("the front matter: %w", err)
	}
	fresh := old
	fresh.Description, fresh.Tags = f.Description, f.Tags
	fresh.Markdown = strings.TrimPrefix(body, "\n")
	if fresh.Markdown == old.Markdown+"\n" {
		fresh.Markdown = old.Markdown
	}
	return fresh, nil
}
