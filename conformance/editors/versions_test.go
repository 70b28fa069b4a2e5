package editors_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/rulesets/editors"
)

// The table of clients names the versions that are asked, and no others.
func TestTableNamesTheVersions(t *testing.T) {
	files, err := filepath.Glob("node/*/package.json")
	if err != nil {
		t.Fatal(err)
	}
	installed := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var p struct {
			Dependencies map[string]string `json:"dependencies"`
		}
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, version := range p.Dependencies {
			installed[filepath.Base(filepath.Dir(file))] = version
		}
	}
	named := map[string]string{}
	for _, c := range editors.Clients {
		if c.Asked != "" {
			named[c.Name] = c.Asked
		}
	}
	if diff := cmp.Diff(installed, named); diff != "" {
		t.Errorf("-installed +named:\n%s", diff)
	}
}
