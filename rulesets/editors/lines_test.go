package editors

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// Texts are written without the emitter where it would write the same, and are read as
// they were in every case.
func TestYamlText(t *testing.T) {
	for _, s := range []string{
		"", "plain", "two words", "About 7: all of it", "a: b: c", "http://example.com/x", "a:b", "ends in:", "C: ", "7 rules", "yes", "No", "null", "True",
		"it's: quoted", "# no comment", "a #b", "- list", "a, b", "über: alles", "x: 'y'", `back\slash: z`, "e5", "ON", "/a: /b", "a :b", "a : b",
	} {
		text := yamlText(s)
		var got struct{ V any }
		if err := yaml.Unmarshal([]byte("v: "+text+"\n"), &got); err != nil || got.V != s {
			t.Errorf("%q is written as %s and read as %#v, %v", s, text, got.V, err)
		}
		emitted, err := yaml.Marshal(s)
		if err != nil || text+"\n" != string(emitted) {
			t.Errorf("%q is written as %s, the emitter writes %s", s, text, emitted)
		}
	}
}
