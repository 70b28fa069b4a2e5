package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The documents that tell newcomers where things are name only files, folders, functions,
// fields and tests that exist.
func TestArchitectureNamesWhatExists(t *testing.T) {
	tree := readTree(t)
	for _, document := range []string{"docs/architecture.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join(top, document))
		if err != nil {
			t.Fatal(err)
		}
		names := namesIn(string(text))
		if len(names) < 25 {
			t.Errorf("%s: found only %d names: %q", document, len(names), names)
		}
		for _, name := range names {
			if !tree.has(name) {
				t.Errorf("%s names %s, which does not exist", document, name)
			}
		}
	}
}

// Names that do not exist are found.
func TestArchitectureFindsWhatIsGone(t *testing.T) {
	tree := readTree(t)
	text := "See `mcp/nothing.go`, `Server.nothing`, `TestNothingOfThatName` and `conformance/nothing/*.txtar`.\n\n" +
		"    triptych stdio\n    └─ jsonrpc.Nothing    jsonrpc/nowhere.go  lines are cut\n"
	want := []string{"Server.nothing", "TestNothingOfThatName", "conformance/nothing/*.txtar", "jsonrpc.Nothing", "jsonrpc/nowhere.go", "mcp/nothing.go"}
	if got := slices.DeleteFunc(namesIn(text), tree.has); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

var (
	quoted   = regexp.MustCompile("`[^`\n]+`")
	drawn    = regexp.MustCompile(`(?m)^    .*$`)
	fileForm = regexp.MustCompile(`^[\w.-]+(/[\w.*-]+)*\.(go|md|txt|txtar|yml|json)$|^[\w.-]+(/[\w.*-]+)+$`)
	nameForm = regexp.MustCompile(`^([a-z]\w*\.)?[A-Za-z]\w*\.[A-Za-z]\w*$`)
	testForm = regexp.MustCompile(`^Test[A-Z]\w*$`)
)

// namesIn returns the names in the quotes and drawings of a document, sorted.
func namesIn(text string) []string {
	found := map[string]bool{}
	for _, piece := range slices.Concat(quoted.FindAllString(text, -1), drawn.FindAllString(text, -1)) {
		for _, word := range strings.Fields(strings.ReplaceAll(piece, "`", " ")) {
			word = strings.TrimSuffix(strings.TrimSuffix(strings.Trim(word, ",:*"), "$"), "()")
			if fileForm.MatchString(word) && inTree(word) || nameForm.MatchString(word) && !fileForm.MatchString(word) || testForm.MatchString(word) {
				found[word] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// inTree reports whether a word with the form of a path is one of this repository.
func inTree(word string) bool {
	first, _, below := strings.Cut(word, "/")
	if !below {
		return strings.HasSuffix(word, ".go")
	}
	if first == "." || first == "bin" {
		return false // an argument of a command, or what make has built
	}
	info, err := os.Stat(filepath.Join(top, first))
	return err == nil && info.IsDir()
}

// A sourceTree holds the names that the repository declares.
type sourceTree struct {
	members map[string]bool // Type.field, Type.method and package.Name
	tests   map[string]bool
	files   map[string]bool // by their names alone
}

// has reports whether a name of a document exists.
func (s sourceTree) has(name string) bool {
	switch {
	case testForm.MatchString(name):
		return s.tests[name]
	case fileForm.MatchString(name) && inTree(name):
		if !strings.Contains(name, "/") && s.files[name] {
			return true
		}
		// A name in capitals stands for any; ** for any folders.
		pattern := strings.ReplaceAll(strings.ReplaceAll(name, "NAME", "*"), "**", "*")
		all, err := filepath.Glob(filepath.Join(top, pattern))
		return err == nil && len(all) > 0
	}
	parts := strings.Split(name, ".")
	return s.members[strings.Join(parts[len(parts)-2:], ".")]
}

func readTree(t *testing.T) sourceTree {
	t.Helper()
	s := sourceTree{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for file := range goFiles(t) {
		s.files[path.Base(file)] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, file), nil, parser.SkipObjectResolution)
		if err != nil {
			continue // a program in testdata need not be valid
		}
		for _, decl := range parsed.Decls {
			s.add(parsed.Name.Name, decl)
		}
	}
	return s
}

func (s sourceTree) add(pkg string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			s.members[pkg+"."+d.Name.Name] = true
			s.tests[d.Name.Name] = true
			return
		}
		s.members[receiverName(d.Recv.List[0].Type)+"."+d.Name.Name] = true
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				s.members[pkg+"."+spec.Name.Name] = true
				s.addFields(spec)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					s.members[pkg+"."+name.Name] = true
				}
			}
		}
	}
}

// addFields adds the fields of a struct.
func (s sourceTree) addFields(spec *ast.TypeSpec) {
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, field := range fields.Fields.List {
		for _, name := range field.Names {
			s.members[spec.Name.Name+"."+name.Name] = true
		}
	}
}

// receiverName returns the name of the type of a receiver.
func receiverName(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
