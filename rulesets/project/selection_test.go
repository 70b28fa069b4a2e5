package project

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Mistakes are named with their line, in words of the file.
func TestSelectionMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"targets: [cursor]\n\nselekt: [a]\n": `line 3: unknown key "selekt"; did you mean select?`,
		"target: [cursor]\n":                 `line 1: unknown key "target"; did you mean targets?`,
		"colour: red\n":                      `line 1: unknown key "colour"; there are targets, select`,
		"targets: cursor\n":                  "line 1: targets must be a list of clients",
		"targets: [cursor]\nlabel: [a]\n":    "line 2: label must be a text",
		"targets: [{a: b}]\n":                "line 1: targets must be a list",
		"- a\n":                              "line 1: it is not a mapping",
		"targets: [curser]\n":                "did you mean cursor?",
		"targets: [cursor\n":                 "line 1",
	} {
		_, err := ParseSelection([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "unmarshal") || strings.Contains(err.Error(), "project.Selection") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if s, err := ParseSelection([]byte("targets: [claude-code]\nserver: https://rules.example/mcp\nselect:\n")); err != nil || s.Server != "https://rules.example/mcp" {
		t.Errorf("%+v, %v", s, err)
	}
}

// The schema for editors has the keys of the file.
func TestSelectionSchema(t *testing.T) {
	data, err := os.ReadFile("../../docs/triptych-yaml.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.Properties) != len(keys) {
		t.Errorf("the schema has %d keys, the file %d", len(schema.Properties), len(keys))
	}
	for _, k := range keys {
		isList := strings.HasPrefix(k.form, "a list")
		if got := schema.Properties[k.name].Type; got == "" || isList != (got == "array") {
			t.Errorf("%s is of type %q in the schema", k.name, got)
		}
	}
}

// A selection that matches nothing is told, since a name may be misspelled.
func TestSelectionOfNothing(t *testing.T) {
	b := newBench(t, "cursor")
	b.create("go_style", "", "Text.\n")
	for word, told := range map[string]bool{"go_*": false, "nosuch*": true} {
		_, warnings, err := Select(t.Context(), b.source, Selection{Select: []string{word}})
		if err != nil || (len(warnings) > 0) != told {
			t.Errorf("%s: %q, %v", word, warnings, err)
		}
	}
}
