package release_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
)

var program = release.Program{
	Version: "1.2.3", Description: "Rules for editors", Protocols: []string{"2025-11-25"},
	Tools: []release.Tool{{Name: "list_rulesets", Description: "List rulesets"}},
}

// The card follows the schema of those who read it.
func TestSchema(t *testing.T) {
	text, err := release.Card(program, "https://rules.example.com/mcp")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join("testdata", "card.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// The catalog names the card by the rules of ai-catalog.io.
func TestCatalog(t *testing.T) {
	text, err := release.Catalog(program, "rules.example.com", "https://rules.example.com/mcp")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		SpecVersion string
		Entries     []struct{ Identifier, DisplayName, Type, URL string }
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if got.SpecVersion != "1.0" || len(got.Entries) != 1 {
		t.Fatalf("%s", text)
	}
	entry := got.Entries[0]
	if entry.Identifier != "urn:air:rules.example.com:mcp:triptych" || entry.Type != "application/mcp-server-card+json" ||
		entry.URL != "https://rules.example.com/mcp/server-card" {
		t.Errorf("%s", text)
	}
}
