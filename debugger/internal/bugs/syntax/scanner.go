package syntax

import (
	"context"
	"strings"
)

// A Kind is the sort of a token.
type Kind uint8

// The kinds of tokens.
const (
	NameToken    Kind = iota
	KeywordToken      // a keyword, a predeclared type or constant
	NumberToken
	StringToken // also characters and regular expressions
	SymbolToken // an operator, a bracket, a separator
)

// A Token is one word of a program. Comments, white space and preprocessor
// lines are none.
type Token struct {
	Text  string
	Kind  Kind
	First bool  // the first of its line
	Line  int32 // from 1
	Col   int32 // in bytes, from 0
}

// breath is the number of steps between two checks of the context.
const breath = 1024

// Lex splits a source text into tokens, in a time that grows with its length
// alone. It fails when ctx ends, and never otherwise: what the language does not
// know comes out as symbols, what is not closed ends with its line or the text.
func Lex(ctx context.Context, lang *Language, source string) ([]Token, error) {
	s := newScanner(lang.grammar, source)
	for steps := 0; s.at < len(s.text); steps++ {
		if steps%breath == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.next()
	}
	return s.tokens, nil
}

// A scanner goes over a text once, from its beginning to its end.
//
//	next ─┬─ newLine
//	      ├─ word ──────── prefixed
//	      ├─ number
//	      ├─ left out ──── comments, directives, attributes, what is no code
//	      ├─ quoted ────── body: a string, up to the code within it
//	      ├─ regexp
//	      └─ symbol ────── resume: the string goes on where the code within ends
type scanner struct {
	grammar  *grammar
	keywords map[string]bool
	text     string
	at       int // what is next
	line     int32
	margin   int  // where the line begins
	fresh    bool // no token on this line yet
	tokens   []Token
	inner    []innerCode // the strings that the code here lies within
	leaving  bool        // what comes is left out
	noRegexp int         // no regular expression ends before here
}

// byteOrderMark may stand in front of a text and means nothing.
const byteOrderMark = "\uFEFF"

func newScanner(g *grammar, text string) *scanner {
	s := &scanner{grammar: g, keywords: wordSet(g.keywords), text: text, line: 1, fresh: true}
	s.tokens = make([]Token, 0, len(text)/5)
	if s.sees(byteOrderMark) {
		s.at = len(byteOrderMark)
	}
	if s.sees("#!") && !s.sees("#![") {
		s.at = lineEnd(s.text, s.at)
	}
	if g.tags && tagIn(text) {
		s.at = 0
		s.leaveTag()
	}
	return s
}

// next reads what stands at s.at, and goes at least one byte on.
func (s *scanner) next() {
	switch c := s.text[s.at]; {
	case c == '\n':
		s.newLine()
	case c <= ' ' || c == '\\' && lineEnds(s.text, s.at+1):
		s.at++
	case digit(c) || c == '.' && s.grammar.numbers&leadingDot != 0 && digit(s.peek(1)):
		s.emit(numberLength(s.text[s.at:], s.grammar.numbers), NumberToken)
	case wordByte(c):
		s.word()
	case s.leaveOut(c), s.quoted(c), c == '/' && s.grammar.regexps && s.regexp():
	default:
		s.symbol(c)
	}
}

// word reads a word, or the string that it belongs to.
func (s *scanner) word() {
	n := wordLength(s.text[s.at:])
	if s.prefixed(n) {
		return
	}
	kind := NameToken
	if s.keyword(s.text[s.at : s.at+n]) {
		kind = KeywordToken
	}
	s.emit(n, kind)
}

// keyword reports whether the word that is next is a keyword, a type or a
// constant.
func (s *scanner) keyword(word string) bool {
	g := s.grammar
	if g.memberNames && len(s.tokens) > 0 && hasWord(". ?. ->", s.tokens[len(s.tokens)-1].Text) {
		return false
	}
	return s.keywords[word] || constants[word] || g.typeEnding != "" && strings.HasSuffix(word, g.typeEnding)
}

// constants are words for values, in whatever language.
var constants = map[string]bool{
	"NULL": true, "nil": true, "null": true, "nullptr": true, "None": true, "undefined": true,
	"true": true, "false": true, "True": true, "False": true, "this": true, "self": true,
}

// symbol reads an operator.
func (s *scanner) symbol(c byte) {
	if len(s.inner) > 0 && s.endsInner(c) {
		s.resume()
		return
	}
	n := 1
	if c < byte(len(operators)) {
		for _, op := range operators[c] {
			if s.sees(op) {
				n = len(op)
				break
			}
		}
	}
	s.emit(n, SymbolToken)
}

// operators are the symbols of more than one character by their first one, the
// longer ones first. The list serves all languages.
var operators = [128][]string{
	'!': {"!==", "!="},
	'%': {"%="},
	'&': {"&^=", "&&", "&=", "&^"},
	'*': {"**=", "*=", "**"},
	'+': {"++", "+="},
	'-': {"->*", "->", "--", "-="},
	'.': {"...", "..=", ".."},
	'/': {"//=", "/=", "//"},
	':': {"::", ":="},
	'<': {"<<=", "<=", "<<", "<-"},
	'=': {"===", "=>", "=="},
	'>': {">>=", ">=", ">>"},
	'?': {"??=", "?.", "??"},
	'^': {"^="},
	'|': {"||", "|="},
}

// emit makes a token of the next n bytes.
func (s *scanner) emit(n int, kind Kind) {
	s.tokens = append(s.tokens, s.tokenHere(s.text[s.at:s.at+n], kind))
	s.fresh = false
	s.skip(n)
}

func (s *scanner) tokenHere(text string, kind Kind) Token {
	return Token{Text: text, Kind: kind, First: s.fresh, Line: s.line, Col: int32(s.at - s.margin)}
}
