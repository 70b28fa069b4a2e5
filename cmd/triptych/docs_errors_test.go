package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Troubleshooting has each error that a server gives to clients for other reasons than the
// arguments of a tool: it names the text, so that a search finds it.
func TestErrorsAreExplained(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	document := strings.Join(strings.Fields(string(text)), " ")
	found := 0
	for _, dir := range []string{"transport/bearer", "transport/streamable", "transport/quota", "mcp", "cmd/triptych/internal/recorder", "cmd/triptych/internal/peers"} {
		for _, said := range errorTexts(t, filepath.Join("..", "..", filepath.FromSlash(dir))) {
			found++
			if !strings.Contains(document, said) {
				t.Errorf("docs/troubleshooting.md does not explain %q of %s", said, dir)
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d texts were found", found)
	}
}

// verb is a verb of a format.
var verb = regexp.MustCompile(`%[+#]?[a-z]`)

// errorTexts returns the fixed parts of the texts of errors in a package.
func errorTexts(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	add := func(e ast.Expr) {
		if format, ok := literal(e); ok {
			texts = append(texts, longest(verb.Split(format, -1)))
		}
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if at, ok := explaining[calledName(n)]; ok && at < len(n.Args) {
					add(n.Args[at])
				}
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(explainingFields, key.Name) {
					add(n.Value)
				}
			}
			return true
		})
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// explaining are the functions that make errors for clients, with the index of the text.
var explaining = map[string]int{"WithDetails": 0, "invalid": 1, "unauthenticated": 1, "unavailable": 0, "mismatch": 0}

// explainingFields are the fields of such errors that have the text.
var explainingFields = []string{"Details", "Message"}

// calledName returns the name of the function or method that is called.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// literal returns the text of a literal, or of the first one of a sum.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		if text, ok := literal(e.X); ok {
			return text, true
		}
		return literal(e.Y)
	case *ast.CallExpr: // fmt.Sprintf
		if len(e.Args) > 0 {
			return literal(e.Args[0])
		}
	}
	return "", false
}

// longest returns the longest of some texts, without space around it.
func longest(parts []string) string {
	best := ""
	for _, p := range parts {
		if p = strings.Trim(p, " ,:;"); len(p) > len(best) {
			best = p
		}
	}
	return best
}
