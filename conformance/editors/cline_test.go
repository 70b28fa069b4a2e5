//go:build unix

package editors_test

import (
	"strings"
	"testing"
)

// cline is Cline's command line. Its text for the model has a space, or it takes it for a
// command.
var cline = client{
	name: "cline", program: "@cline/cli-linux-x64/bin/cline",
	args:   []string{"--json", "-P", "openai-compatible", "-m", "fake", "say hello"},
	config: ".cline/data/settings/providers.json",
	text: `{"version":1,"lastUsedProvider":"openai-compatible","modes":{},"providers":{"openai-compatible":{
"settings":{"provider":"openai-compatible","apiKey":"x","model":"fake","baseUrl":"$URL/v1"},"updatedAt":"2026-11-23T00:00:00.000Z","tokenSource":"manual"}}}`,
}

// Cline's command line differs from the extension, which the table describes, as the table
// notes: it reads the rules of the folder that it starts in and no others, and all of them,
// whatever their paths are.
func TestClineLoadsEveryRule(t *testing.T) {
	program := cline.install(t)
	loaded := map[string]string{ // front matter
		"AGENTS.md":                 "",
		".clinerules/bare.md":       "",
		".clinerules/text.txt":      "",
		".clinerules/matches.md":    "---\npaths:\n  - \"src/**\"\n---\n",
		".clinerules/others.md":     "---\npaths:\n  - \"docs/**\"\n---\n",
		".clinerules/none.md":       "---\npaths: []\n---\n",
		".cline/rules/elsewhere.md": "",
	}
	others := map[string]string{
		"CLAUDE.md": "", ".cursorrules": "", ".windsurfrules": "", "src/AGENTS.md": "", "src/.clinerules/nested.md": "",
		".clinerules/below/sub.md": "", ".clinerules/workflows/command.md": "", ".clinerules/skills/x/SKILL.md": "---\nname: x\ndescription: x\n---\n",
	}
	files := map[string]string{target: "package x\n"}
	for _, set := range []map[string]string{loaded, others} {
		for file, front := range set {
			files[file] = front + marked(file)
		}
	}
	heard := cline.ask(t, program, project(t, files), ".")
	for file := range files {
		_, want := loaded[file]
		if got := strings.Contains(heard, mark(file)); got != want {
			t.Errorf("%s: loaded: %v, want %v", file, got, want)
		}
	}
}
