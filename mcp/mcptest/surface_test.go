package mcptest_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// pinned is the house's one tool as its file has it.
const pinned = `{
  "name": "house/greet",
  "title": "Greet",
  "description": "Greet somebody",
  "inputSchema": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string",
        "description": "Whom to greet"
      }
    },
    "required": [
      "name"
    ]
  },
  "outputSchema": {
    "type": "object",
    "properties": {
      "name": {
        "type": "string"
      }
    },
    "required": [
      "name"
    ]
  },
  "annotations": {
    "readOnlyHint": true,
    "openWorldHint": false
  }
}
`

// updating runs a function as go test -update would.
func updating(t *testing.T, f func()) {
	t.Helper()
	if err := flag.Set("update", "true"); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := flag.Set("update", "false"); err != nil {
			t.Fatal(err)
		}
	}()
	f()
}

// surface compares the house with a folder and returns what a test was told.
func surface(dir string, tables ...*mcp.Table) string {
	w := newChecker()
	return strings.Join(w.try(func() { mcptest.Surface(w, dir, tables...) }), "\n")
}

func TestSurface(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tools")
	path := filepath.Join(dir, "house", "greet.golden.json")
	if told := surface(dir, house(nil)); !strings.Contains(told, path) {
		t.Errorf("no file: told %q", told)
	}
	updating(t, func() {
		if told := surface(dir, house(nil)); told != "" {
			t.Errorf("-update: told %q", told)
		}
	})
	got, err := os.ReadFile(path)
	if diff := cmp.Diff(pinned, string(got)); err != nil || diff != "" {
		t.Errorf("%v, file (-want +got):\n%s", err, diff)
	}
	if told := surface(dir, house(nil)); told != "" {
		t.Errorf("the same: told %q", told)
	}
	renamed := house(nil)
	renamed.Tools[0].Doc = "Greet anybody"
	if told := surface(dir, renamed); !strings.Contains(told, "Greet anybody") || !strings.Contains(told, "Greet somebody") {
		t.Errorf("another text: told %q", told)
	}
}

// The file of a tool that is gone fails, and goes with -update.
func TestSurfaceOfAToolThatIsGone(t *testing.T) {
	dir := t.TempDir()
	updating(t, func() { surface(dir, house(nil)) })
	other := house(nil)
	other.Tools[0].Name = "hello"
	updating(t, func() { surface(dir, other) })
	files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(files) != 0 {
		t.Errorf("left are %v, %v", files, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.golden.json"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if told := surface(dir, other); !strings.Contains(told, "old.golden.json belongs to no tool") {
		t.Errorf("told %q", told)
	}
}
