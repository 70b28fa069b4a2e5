package xml_test

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestMutant checks that a change of a document leaves it well-formed, changes it, and is
// where the comment says.
func TestMutant(t *testing.T) {
	const text = "<r>\n<a x='1' y=\"2\">v</a>\n<b/>\n<c>\n<d/>t</c></r>"
	for seed := range uint64(200) {
		changed := mutant(rand.New(rand.NewPCG(seed, 1)), text)
		if changed == "" {
			continue
		}
		if body, _, ok := strings.Cut(changed, "\n<!-- change: "); !ok || body == text || len(spans(body)) < 3 {
			t.Errorf("seed %d makes %q", seed, changed)
		}
	}
}

// TestTree checks which schemas are complete, and that addresses become paths.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p/main.xsd":      `<schema targetNamespace="urn:m"><import schemaLocation='http://example.org/a/part.xsd'/><element name="m"/></schema>`,
		"q/a/part.xsd":    `<schema/>`,
		"p/gone.xsd":      `<schema><include schemaLocation="none.xsd"/></schema>`,
		"p/indirect.xsd":  `<schema><include schemaLocation="gone.xsd"/></schema>`,
		"p/catalog.xsd":   `<schema><import namespace="urn:x"/></schema>`,
		"p/document.xml":  `<m xmlns="urn:m"/>`,
		"p/unknown.xml":   `<m/>`,
		"q/elsewhere.xsd": `<schema targetNamespace="urn:m"><element type="t" name="m"/></schema>`,
	} {
		writeFile(t, filepath.Join(dir, name), []byte(text))
	}
	all := readTree(t, dir)
	var complete []string
	for _, path := range all.complete(10) {
		name, _ := filepath.Rel(dir, path)
		complete = append(complete, name)
	}
	if got, want := strings.Join(complete, " "), "p/main.xsd q/a/part.xsd q/elsewhere.xsd"; got != want {
		t.Errorf("complete are %s, want %s", got, want)
	}
	if got := all.schemas[filepath.Join(dir, "p/main.xsd")].refers; len(got) != 1 || got[0] != filepath.Join(dir, "q/a/part.xsd") {
		t.Errorf("main.xsd refers to %v", got)
	}
	if got := all.schemaOf(filepath.Join(dir, "p/document.xml")); got != filepath.Join(dir, "p/main.xsd") {
		t.Errorf("the document has the schema %s", got)
	}
	if got := all.schemaOf(filepath.Join(dir, "p/unknown.xml")); got != "" {
		t.Errorf("the other document has the schema %s", got)
	}
}
