package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/releasecmd"
	"github.com/triptych-mcp/triptych/mcp/host"
)

const module = "github.com/triptych-mcp/triptych"

// top is the root of the repository, seen from here.
const top = "../.."

// A goPackage is a package as go list describes it.
type goPackage struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

// goList lists the packages of the module.
func goList(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...")
	cmd.Dir = top
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, &complaint)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// mayImport lists what each top-level folder of the repository may import of the others.
// "std" is the standard library alone. A folder that is not here is a family.
var mayImport = map[string][]string{
	"jsonrpc":     {"std", "jsonrpc"},
	"mcp":         {"mcp", "jsonrpc"},
	"transport":   {"transport", "mcp", "jsonrpc"},
	"cmd":         {"*"},
	"conformance": {"*"},
}

// notForFamilies lists packages that would tell the protocol, or the tools of a
// family, how they were called. A package below a family that knows no protocol may
// use them as a client.
var notForFamilies = []string{"net/http"}

// shared are packages that import none of ours, so that every package of a family may
// import them. They know no protocol; they are below mcp because that is the folder which
// all may import.
var shared = []string{"mcp/atomicfile", "mcp/filestamp", "mcp/folderwatch", "mcp/plain", "mcp/secrets", "mcp/mcptest/sample"}

// Imports point inward: a message knows no protocol, the protocol no transport,
// a transport no family, and no family another.
func TestImportsPointInward(t *testing.T) {
	for _, p := range goList(t) {
		folder := folderOf(p.ImportPath)
		for _, imported := range p.Imports {
			if reason := refused(folder, p.ImportPath, imported); reason != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, reason)
			}
		}
	}
}

// folderOf returns the first folder of a package's path.
func folderOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), "/")
	return first
}

// refused returns the reason why a package of a folder may not import another, "" if it
// may.
func refused(folder, from, imported string) string {
	allowed, known := mayImport[folder]
	if !known {
		allowed = []string{folder, "mcp", "jsonrpc"}
	}
	ours := strings.HasPrefix(imported, module+"/")
	switch {
	case slices.Contains(allowed, "*"):
		return ""
	case ours && isShared(from):
		return "it imports none of ours"
	case ours && !slices.Contains(allowed, folderOf(imported)):
		return "imports point inward"
	case ours && !known && !servesTools(folder, from) && folderOf(imported) != folder && !isShared(imported):
		return "only the family's root and its …tools packages know the protocol"
	case !ours && allowed[0] == "std" && strings.Contains(strings.Split(imported, "/")[0], "."):
		return "this folder needs the standard library alone"
	case folder != "transport" && (known || servesTools(folder, from)) && slices.Contains(notForFamilies, imported):
		return "it does not know over which transport it was called"
	}
	return ""
}

// below lists, for each group of the debugger's packages, the groups that it may import.
// The packages of no group ("") import none of these.
var below = map[string][]string{
	"serve":   {"session", "bugs", "record", "program", "kernel", "machine"},
	"session": {"record", "program", "kernel", "machine"},
	"record":  {"kernel", "machine"},
	"program": {"kernel", "machine"},
	"kernel":  {"machine"},
	"machine": nil,
	"bugs":    nil,
}

// groupOf returns the group of a package of the debugger, "" if it has none.
func groupOf(path string) string {
	inside, ok := strings.CutPrefix(path, module+"/debugger/internal/")
	group, _, _ := strings.Cut(inside, "/")
	if _, known := below[group]; !ok || !known {
		return ""
	}
	return group
}

// The groups of the debugger's packages are layers.
func TestGroupsAreLayers(t *testing.T) {
	for _, p := range goList(t) {
		from := groupOf(p.ImportPath)
		inside := strings.HasPrefix(p.ImportPath, module+"/debugger/internal/") && !strings.Contains(p.ImportPath, "test")
		for _, imported := range p.Imports {
			to := groupOf(imported)
			if inside && to != "" && to != from && !slices.Contains(below[from], to) {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, imported)
			}
			if inside && from == "serve" && to == "serve" && isTools(imported) && !isTools(p.ImportPath) {
				t.Errorf("%s imports %s: debuggers for people know no tools; what both need is below them", p.ImportPath, imported)
			}
		}
	}
}

// isShared reports whether a package is one of those that all may import.
func isShared(path string) bool {
	return slices.Contains(shared, strings.TrimPrefix(path, module+"/"))
}

// servesTools reports whether a package of a family may know the protocol: the
// family's root, which assembles the table, and each package below it whose
// name ends in "tools", which makes one group of the table's rows.
func servesTools(folder, path string) bool {
	return path == module+"/"+folder || isTools(path)
}

func isTools(path string) bool { return strings.HasSuffix(path, "tools") }

// Every folder has one comment that says what it is for.
func TestEveryPackageHasOneComment(t *testing.T) {
	for _, p := range goList(t) {
		var with []string
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc != nil {
				with = append(with, name)
			}
		}
		if len(p.GoFiles) > 0 && len(with) != 1 {
			t.Errorf("%s has %d package comments %v, want one, in doc.go", p.ImportPath, len(with), with)
		}
	}
}

// Nothing compares protocol revisions by name: a revision is a row of facts in
// mcp/host/revision.go and is spelled nowhere else. Tests may spell them, and so may the table of
// hosts, which records what other programs send.
func TestRevisionsAreSpelledOnce(t *testing.T) {
	for path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || path == "mcp/host/revision.go" || strings.HasPrefix(path, "conformance/") ||
			strings.HasPrefix(path, "cmd/triptych/internal/hosts/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(top, path))
		if err != nil {
			t.Fatal(err)
		}
		for _, rev := range host.Revisions() {
			if rev.Name != "" && bytes.Contains(text, []byte(`"`+rev.Name+`"`)) {
				t.Errorf("%s spells the revision %s; ask the row in mcp/host/revision.go", path, rev.Name)
			}
		}
	}
}

// goFiles are the Go files of the repository, slash-separated from its root.
func goFiles(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := fs.WalkDir(os.DirFS(top), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != "." {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			found[path] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The rules of this file refuse what they should.
func TestRefused(t *testing.T) {
	tests := []struct {
		from, imported string
		fine           bool
	}{
		{"jsonrpc", "encoding/json", true},
		{"jsonrpc", "github.com/spf13/pflag", false},
		{"jsonrpc", module + "/mcp", false},
		{"mcp", module + "/jsonrpc", true},
		{"mcp", module + "/transport/stdio", false},
		{"mcp", "net/http", false},
		{"transport/streamable", "net/http", true},
		{"transport/stdio", module + "/aoc", false},
		{"rulesets", module + "/mcp", true},
		{"rulesets", module + "/rulesets/internal/filestore", true},
		{"rulesets", module + "/aoc", false},
		{"rulesets", module + "/transport/stdio", false},
		{"rulesets", "net/http", false},
		{"aoc/internal/site", "net/http", true},
		{"mcp/schema", "net/http", false},
		{"rulesets/internal/filestore", module + "/rulesets/ruleset", true},
		{"rulesets/internal/filestore", module + "/mcp", false},
		{"debugger/internal/serve/looktools", module + "/mcp", true},
		{"debugger/internal/serve/looktools", module + "/jsonrpc", true},
		{"debugger/internal/serve/looktools", module + "/debugger/proc", true},
		{"debugger/internal/serve/looktools", module + "/aoc", false},
		{"debugger/internal/serve/looktools", module + "/transport/audit", false},
		{"debugger/internal/serve/looktools", "net/http", false},
		{"debugger/internal/session", module + "/mcp", false},
		{"rulesets/lint", module + "/mcp/secrets", true},
		{"debugger/internal/session/redact", module + "/mcp/secrets", true},
		{"mcp/secrets", module + "/mcp", false},
		{"mcp/secrets", "net/http", false},
		{"chess", module + "/aoc", false},
		{"chess", module + "/mcp/schema", true},
		{"cmd/triptych", module + "/aoc", true},
	}
	for _, tt := range tests {
		from := module + "/" + tt.from
		if got := refused(folderOf(from), from, tt.imported); (got == "") != tt.fine {
			t.Errorf("%s imports %s: refused %q, want fine %v", tt.from, tt.imported, got, tt.fine)
		}
	}
}

// The committed man page agrees with the table of commands.
func TestManPageIsFresh(t *testing.T) {
	a := app.New()
	want := releasecmd.ManPages(root(a), a.Families)
	for name, page := range want {
		got, err := os.ReadFile(filepath.Join(top, "docs", "man", filepath.FromSlash(name)))
		if err != nil || string(got) != page {
			t.Errorf("docs/man/%s is stale (%v); run: make generate", name, err)
		}
	}
	found, err := filepath.Glob(filepath.Join(top, "docs", "man", "*", "*"))
	if err != nil || len(found) != len(want) {
		t.Errorf("docs/man has %d pages, want %d (%v): one is of a command that is gone", len(found), len(want), err)
	}
}
