package syntax

import (
	goscanner "go/scanner"
	gotoken "go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// goKinds are the kinds of the standard library's tokens that are no keywords,
// names or symbols.
var goKinds = map[gotoken.Token]Kind{
	gotoken.INT: NumberToken, gotoken.FLOAT: NumberToken, gotoken.IMAG: NumberToken,
	gotoken.CHAR: StringToken, gotoken.STRING: StringToken,
}

// goToken is a token as both scanners can say it. Which names are predeclared
// types the standard library leaves to its type checker.
type goToken struct {
	text      string
	kind      Kind
	line, col int
}

// standardTokens are the tokens of a text of Go by the standard library, whose
// pointers to pointers are two tokens.
func standardTokens(text string) ([]goToken, int) {
	var s goscanner.Scanner
	files := gotoken.NewFileSet()
	file := files.AddFile("", -1, len(text))
	wrong := 0
	s.Init(file, []byte(text), func(gotoken.Position, string) { wrong++ }, 0)
	var all []goToken
	for {
		at, tok, literal := s.Scan()
		if tok == gotoken.EOF {
			return all, wrong
		}
		if tok == gotoken.SEMICOLON && literal == "\n" {
			continue
		}
		p := files.PositionFor(at, false)
		t := goToken{text: literal, kind: SymbolToken, line: p.Line, col: p.Column - 1}
		switch {
		case tok.IsKeyword():
			t.kind = NameToken
		case tok.IsLiteral() && tok != gotoken.IDENT:
			t.kind = goKinds[tok]
		case tok == gotoken.IDENT:
			t.kind = NameToken
		default:
			t.text = tok.String()
		}
		all = append(all, t)
	}
}

// ourTokens are ours as the standard library would say them.
func ourTokens(t *testing.T, text string) []goToken {
	t.Helper()
	tokens, err := Lex(t.Context(), testLanguage(t, "Go"), text)
	if err != nil {
		t.Fatal(err)
	}
	var all []goToken
	for _, tok := range tokens {
		g := goToken{text: tok.Text, kind: tok.Kind, line: int(tok.Line), col: int(tok.Col)}
		switch {
		case g.kind == KeywordToken:
			g.kind = NameToken
			all = append(all, g)
		case g.text == "**":
			all = append(all, goToken{"*", SymbolToken, g.line, g.col}, goToken{"*", SymbolToken, g.line, g.col + 1})
		case g.kind == StringToken && g.text[0] == '`':
			g.text = strings.ReplaceAll(g.text, "\r", "")
			all = append(all, g)
		default:
			all = append(all, g)
		}
	}
	return all
}

// Go's own sources have the tokens that the standard library sees in them, at
// the same places.
func TestGoTokens(t *testing.T) {
	root := filepath.Join(runtime.GOROOT(), "src") // where no Go is, there is nothing to compare
	if _, err := os.Stat(root); err != nil {
		t.Skip("Go's sources are not there: ", err)
	}
	folders := []string{"math", "strconv", "text", "cmd/compile/internal/syntax", "fmt", "go", "net/http"}
	if !sample.Whole() {
		folders = folders[:3]
	}
	compared := 0
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !entry.IsDir() {
				compared += sameGoTokens(t, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if compared < 100 {
		t.Errorf("only %d files compared", compared)
	}
}

// sameGoTokens compares the tokens of a file, and returns 1 if it is Go.
func sameGoTokens(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, wrong := standardTokens(string(text))
	if wrong > 0 {
		return 0 // made wrong, for a test of the compiler
	}
	got := ourTokens(t, string(text))
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: token %d: got %+v, want %+v", path, i, got[i], want[i])
			return 1
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d tokens, want %d", path, len(got), len(want))
	}
	return 1
}
