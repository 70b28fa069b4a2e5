package debugger_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// Two functions that are alike but for their names: both use the entry of a user that
// there may not be.
const (
	parserSource = `#include <pwd.h>
int find(int list, int kind);
int kind_of(int list, int kind) {
	int n = find(list, kind);
	return getpwuid(n)->pw_uid;
}
`
	storeSource = `#include <pwd.h>
int look(int shelf, int size);
int size_of(int shelf, int size) {
	int it = look(shelf, size);
	return getpwuid(it)->pw_gid;
}
`
	copySource = `#include <stdlib.h>
#include <string.h>
char *copy(const char *text) {
	char *made = malloc(strlen(text) + 1);
	strcpy(made, text);
	return made;
}
`
)

// projectFolder has a project with those, and something beside it.
func projectFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"project/src/parser.c": parserSource, "project/src/store.c": storeSource, "project/lib/copy.c": copySource, "other/store.c": storeSource,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "project")
}

// The documented form; what is alike comes first.
func TestFindSimilarBugs(t *testing.T) {
	project := projectFolder(t)
	client := mcptest.Connect(t, table(t, debugger.Config{Projects: debugger.Projects{project}}))
	const null, memory = " - Potential null pointer dereference\n   Similarity: ", " - Potential use of an unchecked allocation\n   Similarity: "
	for _, tt := range []struct {
		name, arguments string
		want            []string // found, the first first
	}{
		{"a place", `{"file":"src/parser.c","line":5,"max_results":1}`, []string{"src/store.c:5" + null}},
		{"a place by its absolute path", `{"file":"` + project + `/src/parser.c","line":5,"max_results":1}`, []string{"src/store.c:5" + null}},
		{"a place as it was called where it was built", `{"file":"/build/7/src/parser.c","line":5,"max_results":1}`, []string{"src/store.c:5" + null}},
		{"a place outside of what is searched", `{"file":"src/parser.c","line":5,"search_path":"src/store.c"}`, []string{"store.c:5" + null}},
		{"a class", `{"pattern_type":"memory"}`, []string{"lib/copy.c:5" + memory}},
		{"a class in a folder", `{"pattern_type":"crash","search_path":"src"}`, []string{"parser.c:5" + null, "store.c:5" + null}},
		{"an absolute folder", `{"pattern_type":"memory","search_path":"` + project + `/lib"}`, []string{"copy.c:5" + memory}},
		{"nothing", `{"pattern_type":"memory","search_path":"src"}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := client.Call("debugger/find_similar_bugs", json.RawMessage(tt.arguments))
			rest := strings.Split(got.String(), "\n\n")
			if want := map[int]string{0: "No similar patterns found", 1: "Found 1 similar pattern:", 2: "Found 2 similar patterns:"}[len(tt.want)]; rest[0] != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			for i, want := range tt.want {
				if !strings.Contains(rest[i+1], ". "+want) || !strings.HasSuffix(rest[i+1], "%") {
					t.Errorf("got %s, want %s", rest[i+1], want)
				}
			}
		})
	}
}

func TestFindSimilarBugsErrors(t *testing.T) {
	project := projectFolder(t)
	client := mcptest.Connect(t, table(t, debugger.Config{Projects: debugger.Projects{project}}))
	const bad, denied, detached = jsonrpc.CodeInvalidParams, host.CodePermissionDenied, jsonrpc.Code(-32005)
	for _, tt := range []struct {
		arguments string
		code      jsonrpc.Code
		details   string // a part
	}{
		{`{}`, detached, "Not attached: "},
		{`{"pattern_type":"style"}`, bad, "pattern_type must be one of crash, memory, logic"},
		{`{"pattern_type":1}`, bad, "pattern_type must be a string"},
		{`{"search_path":["src"]}`, bad, "search_path must be a string"},
		{`{"line":3}`, bad, "line needs a file"},
		{`{"file":"a.c","line":0}`, bad, "line must be a positive integer"},
		{`{"file":7}`, bad, "file must be a string"},
		{`{"function":7}`, bad, "function must be a string"},
		{`{"pattern_type":"crash","max_results":0}`, bad, "max_results must be a positive integer"},
		{`{"pattern_type":"crash","max_results":101}`, bad, "max_results must be at most 100"},
		{`{"type":"crash"}`, bad, `unknown argument "type"`},
		{`{"pattern_type":"crash","search_path":"gone"}`, bad, `search_path "gone" is not there`},
		{`{"file":"gone.c","line":3}`, bad, `file "gone.c" is not there`},
		{`{"pattern_type":"crash","search_path":".."}`, denied, "outside of the folders that may be searched; --projects names"},
		{`{"pattern_type":"crash","search_path":"../other"}`, denied, "outside of the folders"},
		{`{"pattern_type":"crash","search_path":"../none"}`, denied, "outside of the folders"},
		{`{"pattern_type":"crash","search_path":"/etc"}`, denied, "outside of the folders"},
	} {
		got := client.Call("debugger/find_similar_bugs", json.RawMessage(tt.arguments))
		if got.Err == nil || got.Err.Code != tt.code || !strings.Contains(got.Err.Error(), tt.details) {
			t.Errorf("%s: got %s, want %d with %q", tt.arguments, got, tt.code, tt.details)
		}
	}
	t.Chdir("/")
	client = mcptest.Connect(t, table(t, debugger.Config{}))
	if got := client.Call("debugger/find_similar_bugs", json.RawMessage(`{"pattern_type":"crash","search_path":"etc"}`)); got.Err == nil || got.Err.Code != denied {
		t.Errorf("a server in the root of the file system: got %s, want it denied", got)
	}
}

// Where projects are: what is configured, else the environment's, else here.
func TestProjects(t *testing.T) {
	project := projectFolder(t)
	other := filepath.Join(filepath.Dir(project), "other")
	t.Chdir(project)
	for _, tt := range []struct {
		name     string
		projects debugger.Projects
		variable string
		want     string
	}{
		{"here", nil, "", "src/store.c:5 "},
		{"the environment", nil, other, " store.c:5 "},
		{"the configuration", debugger.Projects{"src"}, other, " store.c:5 "},
		{"none", debugger.Projects{"gone"}, "", "folder of projects: "},
	} {
		cfg := debugger.Config{Projects: tt.projects}
		served, err := cfg.Open(t.Context(), host.Env{
			Logger: slog.New(slog.DiscardHandler), Now: time.Now, Getenv: func(name string) string {
				return map[string]string{"TRIPTYCH_PROJECTS": tt.variable}[name]
			},
		})
		if err != nil {
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
			}
			continue
		}
		got := mcptest.Connect(t, served).Call("debugger/find_similar_bugs", json.RawMessage(`{"pattern_type":"crash"}`))
		if !strings.Contains(got.String(), tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFindSimilarBugsStructured(t *testing.T) {
	client := mcptest.Connect(t, table(t, debugger.Config{Projects: debugger.Projects{projectFolder(t)}}))
	client.Initialize(mcptest.Newest())
	got := client.Call("debugger/find_similar_bugs", json.RawMessage(`{"file":"src/parser.c","line":5,"max_results":1}`))
	var report struct {
		Diagnosis struct{ Kind, Class string }
		Findings  []struct {
			File       string
			Line       int
			Function   string
			Confidence int
		}
		Files    int
		Complete bool
	}
	if err := json.Unmarshal(got.Structured, &report); err != nil {
		t.Fatal(err)
	}
	if d := report.Diagnosis; d.Kind != "null-dereference" || d.Class != "crash" {
		t.Errorf("the diagnosis is %+v", d)
	}
	if f := report.Findings; len(f) != 1 || f[0].File != "src/store.c" || f[0].Line != 5 || f[0].Function != "size_of" || f[0].Confidence < 80 || f[0].Confidence > 100 {
		t.Errorf("found %+v", f)
	}
	if report.Files != 3 || !report.Complete {
		t.Errorf("%d files were searched, all is %v, want 3 and true", report.Files, report.Complete)
	}
}

// It reads source code, which is for those who may look at processes.
func TestFindSimilarBugsScope(t *testing.T) {
	cfg := &debugger.Config{Projects: debugger.Projects{projectFolder(t)}}
	request := `tools/call {"name":"debugger/find_similar_bugs","arguments":{"pattern_type":"crash"}}`
	for _, scope := range []mcp.Scope{"debug:read", "document:read"} {
		got := ask(t, cfg, host.Principal{ID: "k", Scopes: []mcp.Scope{scope}}, request)
		if refused := strings.Contains(got, `"code":-32003`); refused == (scope == "debug:read") {
			t.Errorf("with %s: %s", scope, got)
		}
	}
}
