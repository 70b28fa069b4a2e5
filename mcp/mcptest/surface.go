package mcptest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden is the suffix of files that pin a tool.
const golden = ".golden.json"

// Surface compares the tables' tools as clients see them with the files in dir, one
// per tool: the tool aoc/fetch is pinned by aoc/fetch.golden.json. A file holds the
// tool's entry of tools/list in the newest revision, under the documented name. A
// file without a tool fails the test. With -update it writes the files instead.
func Surface(t T, dir string, tables ...*mcp.Table) {
	t.Helper()
	c := Config{Server: mcp.Config{ToolNames: host.DocumentedToolNames}}.Connect(t, tables...)
	c.Initialize(Newest())
	want := map[string][]byte{} // by path
	for _, raw := range c.List("tools") {
		var tool struct{ Name string }
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatalf("tools: %v in %s", err, raw)
		}
		var text bytes.Buffer
		if err := json.Indent(&text, raw, "", "  "); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
		text.WriteByte('\n')
		want[filepath.Join(dir, filepath.FromSlash(tool.Name)+golden)] = text.Bytes()
	}
	for path, text := range want {
		Golden(t, path, text)
	}
	orphans(t, dir, want, *update)
}

// Golden compares a text with a golden file. With -update it writes the file
// instead.
func Golden(t T, path string, text []byte) {
	t.Helper()
	if *update {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			t.Errorf("%v", err)
		}
		return
	}
	pinned, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v; run go test -update to write it", err)
		return
	}
	if diff := cmp.Diff(string(pinned), string(text)); diff != "" {
		t.Errorf("%s (-golden +got); run go test -update to accept:\n%s", path, diff)
	}
}

// orphans reports, or removes, golden files without a tool.
func orphans(t T, dir string, wanted map[string][]byte, remove bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || wanted[path] != nil || !strings.HasSuffix(path, golden) {
			return err
		}
		if remove {
			return os.Remove(path)
		}
		t.Errorf("%s belongs to no tool; run go test -update to remove it", path)
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
