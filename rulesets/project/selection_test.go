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
	type property struct {
		Type       string
		Properties map[string]struct{ Type string }
	}
	var schema struct{ Properties map[string]property }
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	types := map[string]string{} // of all keys
	for name, p := range schema.Properties {
		types[name] = p.Type
		for below, p := range p.Properties {
			types[name+"."+below] = p.Type
		}
	}
	if len(types) != len(keys)+len(pluginKeys) {
		t.Errorf("the schema has %d keys, the file %d", len(types), len(keys)+len(pluginKeys))
	}
	check := func(name, form string) {
		t.Helper()
		want := "string"
		for prefix, of := range map[string]string{"a list": "array", "a mapping": "object", "true": "boolean"} {
			if strings.HasPrefix(form, prefix) {
				want = of
			}
		}
		if types[name] != want {
			t.Errorf("%s is of type %q in the schema, want %q", name, types[name], want)
		}
	}
	for _, k := range keys {
		check(k.name, k.form)
	}
	for _, k := range pluginKeys {
		check("plugin."+k.name, k.form)
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
