package frontmatter_test

import (
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
)

// What YAML refuses is read as the clients read it that write it. By YAML 1.2.2, a star
// begins an alias (7.1), ": " ends a key (7.3.3), and @ and ` are reserved (5.3).
func TestLenient(t *testing.T) {
	type list = []any
	for text, want := range map[string]map[string]any{
		"globs:\n  - *.py\n  - *.pyi\nalwaysApply: false\n":          {"globs": list{"*.py", "*.pyi"}, "alwaysApply": false},
		"globs:\n- **/*.py\n- \"**/*.pyi\"\n":                        {"globs": list{"**/*.py", "**/*.pyi"}},
		"paths:\n  - *.go # all\n\n  # not these\n  - !x.go\nb: 1\n": {"paths": list{"*.go", "!x.go"}, "b": 1},
		"globs: *.tsx\nalwaysApply: true\n":                          {"globs": "*.tsx", "alwaysApply": true},
		"globs: [*.ts, **/*.{js,jsx}]\n":                             {"globs": list{"*.ts", "**/*.{js,jsx}"}},
		"globs: [\n  *.ts,\n  \"*.js\"\n]\nx: y\n":                   {"globs": list{"*.ts", "*.js"}, "x": "y"},
		"description: Use this when: asked\nname: a\n":               {"description": "Use this when: asked", "name": "a"},
		"description: It's: so\n  and more\nname: a\n":               {"description": "It's: so and more", "name": "a"},
		"description: >-\n  Two: a\n  lines.\nglobs: *\n":            {"description": "Two: a lines.", "globs": "*"},
		"description: @team `code`\r\nglobs: *.ts\r\n":               {"description": "@team `code`", "globs": "*.ts"},
		"paths: {src,lib}/**/*.ts\n":                                 {"paths": "{src,lib}/**/*.ts"},
		"globs: **/*.h, *.c   # headers\ndescription: Use: a # b\n":  {"globs": "**/*.h, *.c", "description": "Use: a # b"},
		"globs:\n  - a: b\n  - @c\n":                                 {"globs": list{map[string]any{"a": "b"}, "@c"}},
	} {
		repaired, strict := frontmatter.Lenient(text)
		var got map[string]any
		if err := yaml.Unmarshal([]byte(repaired), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q is read as %q: %v, %v", text, repaired, got, err)
		}
		if strict != (yaml.Unmarshal([]byte(text), new(any)) == nil) {
			t.Errorf("%q: strict is %v", text, strict)
		}
	}
	for _, text := range []string{"", "a: b\n", "a: &x [1]\nb: *x\n", "# c\n"} {
		if got, strict := frontmatter.Lenient(text); got != text || !strict {
			t.Errorf("%q became %q", text, got)
		}
	}
}
