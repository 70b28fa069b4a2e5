package project

import (
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaOf returns a published schema of Agent Plugins 1.0.0.
func schemaOf(t *testing.T, id, file string) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/agent-plugins/" + file)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseRegexpEngine(func(string) (jsonschema.Regexp, error) { return nameForm{}, nil })
	if err := c.AddResource(id, document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// nameForm stands for the pattern of names, which looks ahead as Go's do not.
// TestSettingsOfPlugins has names.
type nameForm struct{}

func (nameForm) MatchString(string) bool { return true }
func (nameForm) String() string          { return "the form of a name" }

// The documents of a plugin are valid by the published schemas, whatever its settings are.
func TestPluginHasItsSchemas(t *testing.T) {
	plugin, mcp := schemaOf(t, pluginSchema, "plugin.schema.json"), schemaOf(t, serverSchema, "mcp.schema.json")
	for _, settings := range []string{
		"name: acme", "name: a.b, version: 2.0.0, description: Rules, author: Acme, license: MIT",
		"name: acme, server: 'https://rules.example.com/mcp', claude: true",
	} {
		b := newPluginBench(t, settings)
		b.mustPull()
		for file, schema := range map[string]*jsonschema.Schema{pluginFile: plugin, pluginServerFile: mcp} {
			document, err := jsonschema.UnmarshalJSON(strings.NewReader(b.read(file)))
			if err == nil {
				err = schema.Validate(document)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", settings, file, err)
			}
		}
	}
	wrong, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"$schema": "` + pluginSchema + `", "name": "acme", "skills": "x"}`))
	if err != nil || plugin.Validate(wrong) == nil {
		t.Errorf("the schema takes an unknown key, %v", err)
	}
}
