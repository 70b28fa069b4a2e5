package dapclient_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/conformance/internal/binary"
	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/conformance/internal/sdk"
)

// A run holds the parameters of node/session.mjs.
type run struct {
	Adapter string         `json:"adapter"`
	Program string         `json:"program"`
	Source  string         `json:"source"`
	Lines   map[string]int `json:"lines"` // by their marks
	Core    string         `json:"core"`
}

func TestClient(t *testing.T) {
	need.Program(t, "gcc")
	need.Program(t, "gdb")
	sdk.InstallNode(t, "node")
	adapter, err := binary.Build()
	if err != nil {
		t.Fatal(err)
	}
	r := build(t)
	r.Adapter = adapter
	parameters, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "session.mjs")
	cmd.Dir = "node"
	cmd.Env = append(os.Environ(), "TRIPTYCH_DATA="+t.TempDir())
	cmd.Stdin = bytes.NewReader(parameters)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("session.mjs: %v: %s", err, &complaint)
	}
	var failures []string
	if err := json.Unmarshal(out, &failures); err != nil {
		t.Fatalf("session.mjs printed %q: %v", out, err)
	}
	for _, text := range failures {
		t.Error(text)
	}
}

// build compiles the program and makes a core file of it, where it aborts.
func build(t *testing.T) run {
	t.Helper()
	source, err := filepath.Abs(filepath.Join("testdata", "orders.c"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := run{Program: filepath.Join(dir, "orders"), Source: source, Lines: map[string]int{}, Core: filepath.Join(dir, "core")}
	for i, line := range strings.Split(string(text), "\n") {
		if _, mark, ok := strings.Cut(line, "// line: "); ok {
			r.Lines[mark] = i + 1
		}
	}
	command(t, "gcc", "-g", "-O0", "-o", r.Program, source)
	command(t, "gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "run abort", "-ex", "gcore "+r.Core, r.Program)
	return r
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
