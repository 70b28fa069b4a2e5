package debugger

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// The prompt begins with what the user says, and teaches the manner of the skill.
func TestDebugCrash(t *testing.T) {
	c := mcptest.Connect(t, &mcp.Table{Family: "debugger", Prompts: prompts(), Resources: []mcp.ResourceSource{skills()}})
	c.Initialize("2025-11-25")
	for _, tc := range []struct {
		args map[string]string
		has  string
	}{
		{map[string]string{"program": "./stray", "args": "-x 1"}, "`debugger_launch` on ./stray with the arguments -x 1"},
		{map[string]string{"core": "core.1"}, "`debugger_open_core` on core.1"},
		{map[string]string{"symptom": "it prints 0"}, "What goes wrong: it prints 0"},
		{nil, "Ask the user which program fails"},
	} {
		got, err := c.Ask("prompts/get", map[string]any{"name": "debug_crash", "arguments": tc.args})
		if err != nil || !strings.Contains(string(got), tc.has) || !strings.Contains(string(got), "debugger_last_write") {
			t.Errorf("%v: %s %v", tc.args, got, err)
		}
	}
	main, err := c.Read("skill://debugger/debug-backwards/references/patterns.md")
	if err != nil || len(main) != 1 {
		t.Errorf("the file that the prompt links to: %v", err)
	}
	if list := c.List("skills"); len(list) != 1 {
		t.Errorf("got %s", list)
	}
}

// The skill names tools and arguments that exist.
func TestSkillNamesTools(t *testing.T) {
	files, err := filepath.Glob("skills/*/*.md")
	more, moreErr := filepath.Glob("skills/*/*/*.md")
	if err != nil || moreErr != nil || len(files)+len(more) < 2 {
		t.Fatalf("%v %v %v", files, err, moreErr)
	}
	call := regexp.MustCompile("`debugger_([a-z_]+)(?: \\{([^}`]*)\\})?")
	key := regexp.MustCompile(`([a-z_]+)(?::|,|$)`)
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			golden, err := os.ReadFile("testdata/tools/debugger/" + m[1] + ".golden.json")
			if err != nil {
				t.Errorf("%s: no tool debugger_%s", file, m[1])
				continue
			}
			var tool struct {
				InputSchema struct{ Properties map[string]any }
			}
			if err := json.Unmarshal(golden, &tool); err != nil {
				t.Fatal(err)
			}
			for _, part := range strings.Split(m[2], ", ") {
				if k := key.FindStringSubmatch(part); k != nil && tool.InputSchema.Properties[k[1]] == nil {
					t.Errorf("%s: debugger_%s has no argument %s", file, m[1], k[1])
				}
			}
		}
	}
}
