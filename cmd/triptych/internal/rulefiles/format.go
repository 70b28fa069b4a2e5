package rulefiles

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// shown is the part of the front matter that a person edits.
type shown struct {
	Description string   `yaml:"description"`
	Tags        []string `yaml:"tags,flow"`
}

// Editable returns a ruleset as a text for an editor: front matter without name and
// times, an empty line, the Markdown as it is.
func Editable(r ruleset.Ruleset) ([]byte, error) { return format(r, "") }

// Portable returns a ruleset as a file that brings its times along.
func Portable(r ruleset.Ruleset) ([]byte, error) {
	return format(r, "created_at: "+r.CreatedAt.UTC().Format(timeLayout)+"\nlast_modified: "+r.LastModified.UTC().Format(timeLayout)+"\n")
}

func format(r ruleset.Ruleset, times string) ([]byte, error) {
	head, err := yaml.Marshal(shown{Description: r.Description, Tags: append([]string{}, r.Tags...)})
	if err != nil {
		return nil, fmt.Errorf("front matter of %s: %w", r.Name, err)
	}
	return []byte(fence + string(head) + r.Extra + times + fence + "\n" + r.Markdown), nil
}
