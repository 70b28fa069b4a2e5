package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// remotely lists a command line of each group of commands that speaks to a server with a key.
var remotely = []string{
	"tools", "call list_rulesets {}", "rulesets list", "rulesets get a", "rulesets search a", "console", "doctor", "health",
}

// against runs a command against a URL and returns its status and what it wrote.
func against(t *testing.T, url, line string) (status int, text string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, self, append(strings.Fields(line), "--url", url)...)
	cmd.Args[0] = "triptych" // which TestMain looks at
	data := t.TempDir()
	cmd.Env = []string{"HOME=" + data, "TRIPTYCH_DATA=" + data, "TRIPTYCH_KEY=kdb_live_secret", "GORACE=" + quickExit}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("triptych %s goes on after a minute", line)
	}
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// A server that is no MCP endpoint is an error at once, after a few requests, and the error
// says so.
func TestWrongAnswers(t *testing.T) {
	for name, answer := range map[string]struct{ kind, text string }{
		"an empty object":           {"application/json", "{}"},
		"null":                      {"application/json", "null"},
		"an empty list":             {"application/json", "[]"},
		"nothing":                   {"application/json", ""},
		"a foreign id":              {"application/json", `{"jsonrpc":"2.0","id":"foreign","result":{}}`},
		"no version":                {"application/json", `{"id":1,"result":{}}`},
		"a notification":            {"application/json", `{"jsonrpc":"2.0","method":"notifications/message"}`},
		"half of an answer":         {"application/json", `{"jsonrpc":"2.0","id":`},
		"a page":                    {"text/html", "<!DOCTYPE html><title>Sign in to the network</title>"},
		"no type":                   {"", "{}"},
		"an empty stream":           {"text/event-stream", ""},
		"a stream of something":     {"text/event-stream", "data: {}\n\n"},
		"a stream without its end":  {"text/event-stream", ": comment\n\n"},
		"an error without a number": {"application/json", `{"jsonrpc":"2.0","id":null,"error":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header()["Content-Type"] = []string{answer.kind}
				_, _ = io.WriteString(w, answer.text) // the client may have disconnected
			}))
			defer server.Close()
			for _, line := range []string{"tools", "call list_rulesets {}", "rulesets list"} {
				requests.Store(0)
				status, text := against(t, server.URL, line)
				if status == 0 || strings.TrimSpace(text) == "" {
					t.Errorf("triptych %s: status %d, %q", line, status, text)
				}
				if !strings.HasPrefix(name, "an error") && !strings.Contains(text, "is no MCP endpoint") {
					t.Errorf("triptych %s says %q", line, text)
				}
				if n := requests.Load(); n > 5 {
					t.Errorf("triptych %s sent %d requests", line, n)
				}
			}
		})
	}
}

// No command follows a redirect with the key.
func TestRedirectsGetNoKey(t *testing.T) {
	var got atomic.Pointer[string]
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := fmt.Sprintf("%s %s %q", r.Method, r.URL, r.Header["Authorization"])
		got.Store(&key)
		w.WriteHeader(http.StatusTeapot)
	}))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, thief.URL+r.URL.Path, status)
		}))
		for _, line := range remotely {
			if code, text := against(t, server.URL, line); code == 0 {
				t.Errorf("triptych %s: status 0, %s", line, text)
			}
			if stolen := got.Swap(nil); stolen != nil {
				t.Errorf("triptych %s follows %d: %s", line, status, *stolen)
			}
		}
		server.Close()
	}
}

// Every client of HTTP in the program says what it does with redirects.
func TestClientsChooseAboutRedirects(t *testing.T) {
	found := 0
	for path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "conformance/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if from, ok := n.X.(*ast.Ident); ok && from.Name == "http" && (n.Sel.Name == "DefaultClient" || n.Sel.Name == "Get" || n.Sel.Name == "Post") {
					t.Errorf("%s uses http.%s, which follows redirects", path, n.Sel.Name)
				}
			case *ast.CompositeLit:
				if kind, ok := n.Type.(*ast.SelectorExpr); ok && kind.Sel.Name == "Client" && isIdent(kind.X, "http") {
					found++
					if !hasField(n, "CheckRedirect") {
						t.Errorf("%s has a client that follows redirects", path)
					}
				}
			}
			return true
		})
	}
	if found < 5 {
		t.Errorf("only %d clients were found", found)
	}
}

// No handler reads a form or a body by itself in a way that has no bound.
func TestFormsAreReadByTheTable(t *testing.T) {
	unbounded := []string{"FormValue", "PostFormValue", "ParseForm", "ParseMultipartForm", "MultipartReader", "FormFile", "MultipartForm", "ListenAndServe", "ListenAndServeTLS"}
	for path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "conformance/") || strings.HasPrefix(path, "aoc/sitetest/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				for _, name := range unbounded {
					if s.Sel.Name == name {
						t.Errorf("%s calls %s; package routes reads forms", path, name)
					}
				}
				if s.Sel.Name == "NewServeMux" && path != "transport/routes/table.go" || s.Sel.Name == "Server" && isIdent(s.X, "http") && !strings.HasPrefix(path, "transport/https/") {
					t.Errorf("%s serves HTTP beside the table of routes", path)
				}
			}
			return true
		})
	}
}

func isIdent(e ast.Expr, name string) bool {
	ident, ok := e.(*ast.Ident)
	return ok && ident.Name == name
}

// hasField reports whether a composite literal sets a field.
func hasField(lit *ast.CompositeLit, name string) bool {
	for _, element := range lit.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok && isIdent(pair.Key, name) {
			return true
		}
	}
	return false
}
