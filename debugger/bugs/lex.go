package bugs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// lexTime is how long the lexer may take for n bytes, ten times what it takes for
// real code, and time for a machine that is busy with other things. Its expressions
// backtrack; a file made to be slow is read as far as the time goes.
func lexTime(n int) time.Duration {
	return 5*time.Second + time.Duration(n)*10*time.Microsecond
}

// A lexKind says what a token is.
type lexKind uint8

const (
	nameToken    lexKind = iota
	keywordToken         // a keyword, a predeclared type or constant
	numberToken
	stringToken // also characters and regular expressions
	symbolToken // an operator, a bracket, a separator
)

// A token is one word of a program. Comments, white space and preprocessor
// lines are none.
type token struct {
	text  string
	kind  lexKind
	first bool  // the first of its line
	line  int32 // from 1
	col   int32 // in bytes, from 0
}

// lex splits a source text into tokens. It fails when ctx ends; text that the
// language does not know comes out as symbols or is skipped.
func lex(ctx context.Context, lang *language, source string) (tokens []token, err error) {
	// The lexers are tables written for pretty printing, and no file may bring
	// the server down through a mistake in one of them.
	defer func() {
		if p := recover(); p != nil {
			tokens, err = nil, fmt.Errorf("lexer of %s: %v", lang.name, p)
		}
	}()
	next, err := lexers.Get(lang.name).Tokenise(&chroma.TokeniseOptions{State: "root"}, source)
	if err != nil {
		return nil, fmt.Errorf("lexer of %s: %w", lang.name, err)
	}
	s := splitter{tokens: make([]token, 0, len(source)/4), line: 1, fresh: true}
	end := time.Now().Add(lexTime(len(source)))
	for piece := next(); piece != chroma.EOF && time.Now().Before(end); piece = next() {
		s.add(piece)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	s.flush()
	return s.tokens, nil
}

// A splitter makes tokens of the pieces that the lexer yields, which are coarser
// in some languages than in others: operators come in single characters or not,
// strings in parts.
type splitter struct {
	tokens    []token
	line, col int32
	fresh     bool   // no token on this line yet
	symbols   string // operator characters that stand together, not split yet
	at        token  // where they begin
	inString  bool   // the last piece was part of a string
}

func (s *splitter) add(piece chroma.Token) {
	text := piece.Value
	quoted := piece.Type.InSubCategory(chroma.LiteralString)
	switch {
	case text == "":
		return
	case quoted:
		s.quote(text)
	case piece.Type.InCategory(chroma.Comment):
		s.flush()
	case piece.Type.InSubCategory(chroma.LiteralNumber):
		s.emit(text, numberToken)
	default:
		s.words(text, piece.Type.InCategory(chroma.Keyword) || piece.Type == chroma.OperatorWord)
		s.inString = false
		return
	}
	s.inString = quoted
	s.move(text)
}

// quote adds a part of a string. Parts that touch are one token.
func (s *splitter) quote(text string) {
	if s.inString {
		return
	}
	s.emit(text, stringToken)
}

// words splits text into words, numbers and symbols.
func (s *splitter) words(text string, keyword bool) {
	for len(text) > 0 {
		n, kind := span(text)
		switch {
		case kind == symbolToken && n > 0:
			s.symbol(text[:n])
		case n == 0: // white space
			n = 1
			s.flush()
		case kind == nameToken && (keyword || constants[text[:n]]):
			s.emit(text[:n], keywordToken)
		default:
			s.emit(text[:n], kind)
		}
		s.move(text[:n])
		text = text[n:]
	}
}

// constants are words for values that lexers take for names in some languages.
var constants = map[string]bool{
	"NULL": true, "nil": true, "null": true, "nullptr": true, "None": true, "undefined": true,
	"true": true, "false": true, "True": true, "False": true, "this": true, "self": true,
}

// span is the length of the word, number or symbol that text begins with. White
// space has none.
func span(text string) (int, lexKind) {
	switch c := text[0]; {
	case c <= ' ':
		return 0, symbolToken
	case c >= '0' && c <= '9':
		return run(text), numberToken
	case wordByte(c):
		return run(text), nameToken
	default:
		return 1, symbolToken
	}
}

// run is the length of the word that text begins with.
func run(text string) int {
	n := 1
	for n < len(text) && wordByte(text[n]) {
		n++
	}
	return n
}

// wordByte reports whether c may stand in a word. Letters beyond ASCII may.
func wordByte(c byte) bool {
	return c == '_' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// symbol adds a character to the run of symbols.
func (s *splitter) symbol(c string) {
	if s.symbols == "" {
		s.at = token{line: s.line, col: s.col, first: s.fresh}
	}
	s.symbols += c
	if strings.Contains("()[]{};,", c) || len(s.symbols) >= 16 {
		s.flush()
	}
}

// operators are the symbols of more than one character, the longer ones first.
var operators = []string{
	"<<=", ">>=", "...", "..=", "===", "!==", "&^=", "**=", "//=", "??=", "->*",
	"->", "=>", "::", "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=",
	"%=", "&=", "|=", "^=", "<<", ">>", ":=", "<-", "..", "?.", "??", "**", "//", "&^",
}

// flush splits the symbols that stand together into operators.
func (s *splitter) flush() {
	for s.symbols != "" {
		n := 1
		for _, op := range operators {
			if strings.HasPrefix(s.symbols, op) {
				n = len(op)
				break
			}
		}
		t := s.at
		t.text, t.kind = s.symbols[:n], symbolToken
		s.append(t)
		s.symbols = s.symbols[n:]
		s.at.col += int32(n)
		s.at.first = false
	}
}

func (s *splitter) emit(text string, kind lexKind) {
	s.flush()
	s.append(token{text: text, kind: kind, line: s.line, col: s.col, first: s.fresh})
}

func (s *splitter) append(t token) {
	s.tokens = append(s.tokens, t)
	s.fresh = false
}

// move goes over text, counting lines.
func (s *splitter) move(text string) {
	n := strings.Count(text, "\n")
	if n == 0 {
		s.col += int32(len(text))
		return
	}
	s.flush()
	s.line += int32(n)
	s.col = int32(len(text) - strings.LastIndexByte(text, '\n') - 1)
	s.fresh = true
}
