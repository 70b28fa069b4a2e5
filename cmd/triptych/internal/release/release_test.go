package release_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/release"
)

var program = release.Program{
	Version: "1.2.3", Description: "Rules for editors", Protocols: []string{"2025-11-25"},
	Tools: []release.Tool{{Name: "list_rulesets", Description: "List rulesets"}},
}

// The files follow the schemas of those who read them.
func TestSchemas(t *testing.T) {
	tests := map[string]struct {
		schema string
		make   func() ([]byte, error)
	}{
		"registry": {"server.schema.json", func() ([]byte, error) {
			return release.Registry(program, []release.Digest{{File: "triptych_1.2.3_linux_amd64.mcpb", SHA256: "fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce"}})
		}},
		"manifest for Linux":   {"manifest.schema.json", func() ([]byte, error) { return release.Manifest(program, release.System{OS: "linux"}) }},
		"manifest for Windows": {"manifest.schema.json", func() ([]byte, error) { return release.Manifest(program, release.System{OS: "windows"}) }},
		"card":                 {"card.schema.json", func() ([]byte, error) { return release.Card(program, "https://rules.example.com/mcp") }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := test.make()
			if err != nil {
				t.Fatal(err)
			}
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			compiler := jsonschema.NewCompiler()
			compiler.AssertFormat()
			schema, err := compiler.Compile(filepath.Join("testdata", test.schema))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(document); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
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

// A bundle unpacks to a program that can be executed, and two of the same are equal.
func TestBundle(t *testing.T) {
	var one, two bytes.Buffer
	for _, out := range []*bytes.Buffer{&one, &two} {
		if err := release.WriteBundle(out, program, release.System{OS: "linux", Arch: "amd64"}, []byte("ELF"), []byte("MIT")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("two bundles of the same differ")
	}
	archive, err := zip.NewReader(bytes.NewReader(one.Bytes()), int64(one.Len()))
	if err != nil {
		t.Fatal(err)
	}
	file, err := archive.Open("server/triptych")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	info, _ := file.Stat()
	if err != nil || string(content) != "ELF" || info.Mode() != 0o755 {
		t.Errorf("%q %v %v", content, info.Mode(), err)
	}
	if _, err := release.Manifest(program, release.System{OS: "plan9"}); err == nil {
		t.Error("a manifest for plan9, which the format does not know")
	}
}

// The bill of this test's own binary names the modules it was built from.
func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	text, err := release.SBOM(program, binary)
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BOMFormat, SpecVersion string
		Components             []struct{ Name, Version, PURL string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" {
		t.Errorf("%s %s, want CycloneDX 1.6", bill.BOMFormat, bill.SpecVersion)
	}
	names := map[string]bool{}
	for _, c := range bill.Components {
		names[c.Name] = c.PURL == "pkg:golang/"+c.Name+"@"+c.Version
	}
	if !names["std"] {
		t.Errorf("the standard library is missing in %v", names)
	}
	if _, err := release.SBOM(program, []byte("no program")); err == nil {
		t.Error("a bill of what is no program")
	}
}
