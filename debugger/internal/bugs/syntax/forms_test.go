package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// The forms of each language, by its specification.
func TestLexForms(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"C", "a // b \\\n c\nd", "n:a n:d"},
		{"C", "#define A \"/*\" /* b\n c */ d \\\n e\nf", "n:f"},
		{"C", "#error don't\na", "n:a"},
		{"C", "#if 0\n#ifdef A\na\n#else\nb\n#endif\nc\n#else\nd\n#endif\ne", "n:d n:e"},
		{"C", "#if 0 || A\na\n#endif", "n:a"},
		{"C", "  #  include <a.h>\nL\"b\" u8\"c\" x\"d\"", "s:… s:… n:x s:…"},
		{"C", "a = \"b\\\nc\"; 'd", "n:a = s:… ; s:…"},
		{"C", "0x1.8p-3f + .5e+3 - 1.f * 0b1'01", "#:0x1.8p-3f + #:.5e+3 - #:1.f * #:0b1'01"},
		{"C", "pthread_t t; a*/*b*/c", "k:pthread_t n:t ; n:a * n:c"},
		{"C++", "R\"x(a)\" \\ )x\" + u8R\"(\n)\"; LR\"a b(", "s:… + s:… ; n:LR s:…"},
		{"C++", "1'000'000 <=> a.*b ->* c", "#:1'000'000 <= > n:a . * n:b ->* n:c"},
		{"Objective-C", "@interface A : B { } @\"c\" [d e:@selector(f)]", "@ k:interface n:A : n:B { } s:… [ n:d n:e : @ k:selector ( n:f ) ]"},
		{"Go", "a := 'b' + '\\'' + \"\\\"\" &^= 0o17i ... 1.e5", "n:a := s:… + s:… + s:… &^= #:0o17i ... #:1.e5"},
		{"Go", "`\\`a/*\n*/ <-b", "s:… n:a <- n:b"},
		{"Rust", "fn f<'a>(x: &'a str) { 'b' b'\\'' '\\u{1F600}' 'é' }", "k:fn n:f < ' n:a > ( n:x : & ' n:a k:str ) { s:… s:… s:… s:… }"},
		{"Rust", "r#\"a\"b\"# br\"\\\" \"c\n\" r#type 1.0.a 1..2 x.0.1", "s:… s:… s:… n:r # k:type #:1.0 . n:a #:1 .. #:2 n:x . #:0.1"},
		{"Rust", "#![a(\"]\")]\n#[b[c]]\n/* /* */ d */ e", "n:e"},
		{"Python", "f'a{b!r:>{c}}d{{e}}' rb\"\\\"\" F\"{g['h']}\"", "s:… n:b s:… n:c s:… s:… s:… n:g [ s:… ] s:…"},
		{"Python", "\"\"\"a\n\"b\"\\\"\"\"\"\nre.match(1_0j) # d", "s:… n:re . n:match ( #:1_0j )"},
		{"Python", "'a\nb = 0xE+1 if c else d//e", "s:… n:b = #:0xE + #:1 k:if n:c k:else n:d // n:e"},
		{"JavaScript", "#!/usr/bin/node\na = b / c / d; e = /[/\\]]\\//g; return /f/", "n:a = n:b / n:c / n:d ; n:e = s:… ; k:return s:…"},
		{"JavaScript", "`a${`b${c}`}d${{e: 1}}` <a></a> f.case 10n", "s:… s:… n:c s:… s:… { n:e : #:1 } s:… < n:a > < / n:a > n:f . n:case #:10n"},
		{"JavaScript", "x = a\n/b/c; y = ( /d\n)", "n:x = n:a / n:b / n:c ; n:y = ( / n:d )"},
		{"JavaScript", "x = /a\\\nb/ c", "n:x = / n:a n:b / n:c"},
		{"TypeScript", "type A = keyof B & { readonly c?: string }", "k:type n:A = k:keyof n:B & { k:readonly n:c ? : k:string }"},
		{"Java", "var a = \"\"\"\n b \\\"\"\" \"c\"\n\"\"\"; 'd'; 1_0L", "k:var n:a = s:… ; s:… ; #:1_0L"},
		{"C#", "#region a's\n$\"b{c:N2}{{\" @\"\\\"\"d\" $@\"{e}\n\" \"\"\"f\"\"g\"\"\"", "s:… n:c s:… s:… s:… n:e s:… s:…"},
		{"Kotlin", "val a = \"b ${c(\"d\")} $e\" /* /* */ */ 'f' `g h` \"\"\"\\\"\"\" 1..2", "k:val n:a = s:… n:c ( s:… ) s:… s:… n:`g h` s:… #:1 .. #:2"},
		{"Swift", "let a = \"\\(b(c)) \\\"\" + #\"\"d\\(e)\"# #if os(f)\n#if os(g)\nh", "k:let n:a = s:… n:b ( n:c ) s:… + s:… # k:if n:os ( n:f ) n:h"},
		{"Scala", "val a = s\"b${c}\" + 'd' + 'e + \"\"\"f\"g\"\"\"", "k:val n:a = s:… n:c s:… + s:… + ' n:e + s:…"},
		{"PHP", "<b>it's</b><?php a($b); // c ?> it's <?= 'd' ?>", "n:a ( $ n:b ) ; s:…"},
		{"PHP", "$a = <<<'B'\n c's B\n  B;\n#[D(1)]\n# e\nf", "$ n:a = s:… ; n:f"},
		{"Zig", "const a = \\\\b \"c\n  \\\\d\n; @\"e f\" @import", "k:const n:a = s:… s:… ; n:@\"e f\" @ n:import"},
		{"D", "/+ /+ +/ a +/ r\"\\\" b`\\` q\"(c\")\" q\"EOS\nd\nEOS\" 1..2", "s:… n:b s:… s:… s:… #:1 .. #:2"},
		{"Go", "\uFEFFpackage a", "k:package n:a"},
	} {
		tokens, err := Lex(t.Context(), testLanguage(t, c.lang), c.text)
		if got := spell(tokens); got != c.want || err != nil {
			t.Errorf("%s %q:\ngot  %s, %v\nwant %s", c.lang, c.text, got, err, c.want)
		}
	}
}

// beginnings open constructs that may not end, or make the scanner look ahead: one
// that starts again at each of them takes quadratic time.
var beginnings = []string{
	"/", "/* ", "/+ ", "// \\\n", "\"", "'", "`", "'\\", "'''", "\"\"\"", "f\"{", "f'{{", "$\"{", "`${", "\"${", "\"\\(",
	"s\"${", "R\"(", "R\"aaaaaaaa", "r#", "r#\"", "#", "#\"", "#[", "#![", "#[[", "#if 0\n", "#if 0\n#endif\n", "#define a \\\n",
	"#/*\n*/", "<<<a\n", "<<<a\n a", "<?", "?>", "?><?=", "q\"a\n", "q\"(", "$$\"\"\"", "\\", "\\\n", "= /[", "=/a\\/", "(/", "/[\\\n",
	"1.", "1e", ".", "0x", "'0", "(", ")", "{", "}", "!", ":", "a", "\xff", "\r", " ", "@\"", "\n",
}

// Much of anything is read in the time that its length takes,
// which is some milliseconds.
func TestLexIsLinear(t *testing.T) {
	const limit = 2 * time.Second
	size := 128 << 10
	if !sample.Whole() {
		size /= 16
	}
	for _, part := range beginnings {
		text := strings.Repeat(part, size/len(part))
		for i := range Languages {
			took := time.Hour
			for n := 0; took > limit && n < 3; n++ { // the machine may have been busy
				start := time.Now()
				readThrough(Languages[i].grammar, text)
				took = time.Since(start)
			}
			if took > limit {
				t.Errorf("%q in %s took %v", part, Languages[i].Name, took)
			}
		}
	}
}

// readThrough reads a text and keeps of its tokens only those that the scanner
// may look at again.
func readThrough(g *grammar, text string) {
	s := newScanner(g, text)
	for s.at < len(s.text) {
		s.next()
		if n := len(s.tokens); n > 100 {
			s.tokens = append(s.tokens[:0], s.tokens[n-1])
		}
	}
}

// checkTokens reports what does not hold of the tokens of a text: each stands
// where it says, behind the one before.
func checkTokens(t *testing.T, lang *Language, text string) {
	t.Helper()
	tokens, err := Lex(t.Context(), lang, text)
	if err != nil {
		t.Fatal(err)
	}
	margins := []int{0}
	for i := range len(text) {
		if text[i] == '\n' {
			margins = append(margins, i+1)
		}
	}
	behind, line := 0, int32(0)
	for _, tok := range tokens {
		if problem := misplaced(text, margins, tok, behind); problem != "" {
			t.Fatalf("%s %.100q: %+v: %s", lang.Name, text, tok, problem)
		}
		if tok.First != (tok.Line != line) && !strings.Contains(text, "\n") {
			t.Fatalf("%s %.100q: %+v: first on line %d", lang.Name, text, tok, line)
		}
		behind, line = margins[tok.Line-1]+int(tok.Col)+1, tok.Line
	}
}

// misplaced says what is wrong about the place of a token, whose first byte may
// not be before the offset least.
func misplaced(text string, margins []int, tok Token, least int) string {
	if tok.Line < 1 || int(tok.Line) > len(margins) || tok.Col < 0 || tok.Text == "" {
		return "no such place"
	}
	at := margins[tok.Line-1] + int(tok.Col)
	switch {
	case at < least || at >= len(text):
		return fmt.Sprintf("it is at %d, not behind %d", at, least)
	case tok.Kind != StringToken && !strings.HasPrefix(text[at:], tok.Text):
		return "something else stands there"
	}
	return ""
}

// No text breaks a scanner, and all tokens are where they say.
func FuzzLex(f *testing.F) {
	for i := range Languages {
		for _, part := range beginnings {
			f.Add(uint8(i), part+" a"+part)
		}
	}
	f.Fuzz(func(t *testing.T, lang uint8, text string) {
		checkTokens(t, &Languages[int(lang)%len(Languages)], text)
	})
}
