package mcptest

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	if err := writeFiles(dir, []txtar.File{{Name: "a/b.json", Data: []byte("{\n  \"at\": 12\n}")}}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ name, file, data, want string }{
		{"the same", "a/b.json", "{\n  \"at\": 12\n}\n", ""},
		{"a pattern", "a/b.json", "{\n  \"at\": `[0-9]+`\n}\n", ""},
		{"another", "a/b.json", "{\n  \"at\": 13\n}\n", "a/b.json at the end"},
		{"more", "a/b.json", "{\n  \"at\": 12\n", "a/b.json at the end"},
		{"missing", "a/c.json", "\n", "no such file"},
		{"no pattern", "a/b.json", "`\n", "closing backquote"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := compare(dir, []txtar.File{{Name: tc.file, Data: []byte(tc.data)}})
			if (tc.want == "") != (err == nil) || !strings.Contains(text(err), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}
