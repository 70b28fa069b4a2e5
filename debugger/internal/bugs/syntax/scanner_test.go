package syntax

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// kindLetters are how the tests write the kind of a token.
var kindLetters = map[Kind]string{NameToken: "n", KeywordToken: "k", NumberToken: "#", StringToken: "s", SymbolToken: ""}

// spell writes tokens as words, with their kind in front unless it is a symbol.
func spell(tokens []Token) string {
	var words []string
	for _, t := range tokens {
		word := t.Text
		if t.Kind == StringToken {
			word = "…"
		}
		if letter := kindLetters[t.Kind]; letter != "" {
			word = letter + ":" + word
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestLex(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"C", "int *p = q->r; /* c */ // d", "k:int * n:p = n:q -> n:r ;"},
		{"C", "#define A(x) \\\n (x)\nint b;", "k:int n:b ;"},
		{"C", "#if 0\nint a;\n#endif\nint b;", "k:int n:b ;"},
		{"C", `s = "a\"b" "c"; c = '\n';`, "n:s = s:… s:… ; n:c = s:… ;"},
		{"C", "a >>= 0x1fUL; b = c ? NULL : -1.5e3;", "n:a >>= #:0x1fUL ; n:b = n:c ? k:NULL : - #:1.5e3 ;"},
		{"C", "if(!a&&b==c){}", "k:if ( ! n:a && n:b == n:c ) { }"},
		{"C++", "std::vector<int> v; delete[] p; x = nullptr;", "n:std :: n:vector < k:int > n:v ; k:delete [ ] n:p ; n:x = k:nullptr ;"},
		{"Go", "x := `a\nb`; if err != nil { c <- 1 }", "n:x := s:… ; k:if n:err != k:nil { n:c <- #:1 }"},
		{"Rust", "let y = x?.unwrap(); 1..=2; a => b", "k:let n:y = n:x ?. n:unwrap ( ) ; #:1 ..= #:2 ; n:a => n:b"},
		{"Python", "if x is None and y != 2: # c\n    '''d'''", "k:if n:x k:is k:None k:and n:y != #:2 : s:…"},
		{"JavaScript", "a?.b ?? /x[/]y/.test(c) === `t`", "n:a ?. n:b ?? s:… . n:test ( n:c ) === s:…"},
		{"TypeScript", "let a: string = b!.c", "k:let n:a : k:string = n:b ! . n:c"},
		{"Java", "List<String> a = new X();", "n:List < n:String > n:a = k:new n:X ( ) ;"},
	} {
		tokens, err := Lex(t.Context(), testLanguage(t, c.lang), c.text)
		if got := spell(tokens); got != c.want || err != nil {
			t.Errorf("%s %q:\ngot  %s, %v\nwant %s", c.lang, c.text, got, err, c.want)
		}
	}
}

// Lines and columns equal the text's, whatever ends its lines.
func TestLexPositions(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		text := strings.Join([]string{"int a;", "", "/* x", "y */ b = \"c\";", "\td"}, end)
		tokens, err := Lex(t.Context(), testLanguage(t, "C"), text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tok := range tokens {
			got = append(got, fmt.Sprintf("%d:%d:%v", tok.Line, tok.Col, tok.First))
		}
		want := []string{"1:0:true", "1:4:false", "1:5:false", "4:5:true", "4:7:false", "4:9:false", "4:12:false", "5:1:true"}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", end, got, want)
		}
	}
}

func TestLanguages(t *testing.T) {
	for _, c := range []struct{ path, want string }{
		{"a/b.c", "C"},
		{"a/b.h", "C"},
		{"B.CPP", "C++"},
		{"x.go", "Go"},
		{"x.tsx", "TypeScript"},
		{"x.txt", ""},
		{"Makefile", ""},
		{".c", "C"},
		{"a.go/b", ""},
	} {
		got := ""
		if lang := LanguageOf(c.path); lang != nil {
			got = lang.Name
		}
		if got != c.want {
			t.Errorf("%s is %q, want %q", c.path, got, c.want)
		}
	}
}

// Every language of the table has a grammar, and endings of its own.
func TestLanguageTable(t *testing.T) {
	endings := map[string]bool{}
	for i := range Languages {
		tokens, err := Lex(t.Context(), &Languages[i], "a b")
		if err != nil || len(tokens) == 0 {
			t.Errorf("%s: %v, %v", Languages[i].Name, tokens, err)
		}
		for _, e := range Languages[i].endings {
			if endings[e] {
				t.Errorf("two languages for .%s", e)
			}
			endings[e] = true
		}
	}
}

func TestFunctions(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"C", "int a;\nstatic int\nf(int x)\n{\n if (x) { g(); }\n}\nstruct s { int b; };\nvoid g(void) {}\n", "f 3-6, g 8-8"},
		{"C", "int t[] = {1, 2};\nint f() { return 1; }", "f 2-2"},
		{"C++", "namespace n {\nclass A {\n int f() const { return 1; }\n void g() noexcept {\n }\n};\n}\nA::A() : b(1) {\n}", "f 3-3, g 4-5, b 8-9"},
		{"C++", "namespace std VISIBILITY(default) {\nclass ALIGNED(8) A {\n struct b *f() {\n }\n};\n}", "f 3-4"},
		{"Go", "package p\nfunc f(x interface{ A() }) (int, error) {\n return 1, nil\n}\nfunc (r *T) g() {}\nvar h = func() {}\n", "f 2-4, g 5-5,  6-6"},
		{"Go", "type f func(int) int\nfunc g() {}\n", "g 2-2"},
		{"Rust", "impl A {\n fn f<T>(x: T) -> u8 where T: B {\n  1\n }\n}\nfn g();\nfn h() {}\n", "f 2-4, h 7-7"},
		{"Python", "class A:\n    def f(self,\n  x):\n        return 1\n\n    def g(self): pass\nx = 1\ndef h():\n    def i():\n        pass\n    return i\n", "f 2-4, g 6-6, h 8-11"},
		{"JavaScript", "function f(a) {\n return a;\n}\nclass B { g(x) { return 1; } }\nif (a) { b(); }\n", "f 1-3, g 4-4"},
	} {
		lang := testLanguage(t, c.lang)
		tokens, err := Lex(t.Context(), lang, c.text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range Functions(lang, tokens) {
			got = append(got, fmt.Sprintf("%s %d-%d", f.Name, tokens[f.Begin].Line, tokens[f.End-1].Line))
		}
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s:\n%s\ngot  %s\nwant %s", c.lang, c.text, got, c.want)
		}
	}
}

// testLanguage returns the language with a name.
func testLanguage(t *testing.T, name string) *Language {
	t.Helper()
	for i := range Languages {
		if Languages[i].Name == name {
			return &Languages[i]
		}
	}
	t.Fatalf("no language %s", name)
	return nil
}
