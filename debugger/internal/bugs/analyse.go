package bugs

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// maxLine is the length of a line in bytes above which a file counts as minified
// or as data.
const maxLine = 8 << 10

// An extent is the range of a function in a stream.
type extent struct {
	name       string
	begin, end int32
}

// A risk is a place in a stream that a rule matched.
type risk struct {
	rule *rule
	at   int32 // the token
	line int32
}

// A file is the analysis of a source file. It is immutable.
type file struct {
	path      string
	lang      *syntax.Language
	stamp     filestamp.Stamp
	stream    stream
	functions []extent
	risks     []risk
	calls     []uint32 // the tokens that are names of called functions
	sketch    sketch
	lines     int
}

// An analyst analyzes source texts.
type analyst struct {
	rules []rule
	book  rulebook
	words map[syntax.Family]vocabulary
}

// newAnalyst returns an analyst with all rules.
func newAnalyst() (*analyst, error) {
	rules := allRules()
	book, err := newRulebook(rules)
	if err != nil {
		return nil, err
	}
	a := &analyst{rules: rules, book: book, words: map[syntax.Family]vocabulary{}}
	for f, rules := range book {
		a.words[f] = newVocabulary(rules)
	}
	return a, nil
}

// analyse tokenizes a source text and numbers its names. Binary and minified
// texts have no tokens.
func (a *analyst) analyse(ctx context.Context, names *dictionary, l listed, text string) (*file, error) {
	f := &file{path: l.path, lang: l.lang, stamp: l.stamp}
	if !readable(text) {
		return f, nil
	}
	tokens, err := syntax.Lex(ctx, l.lang, text)
	if err != nil {
		return nil, err
	}
	found := syntax.Functions(l.lang, tokens)
	var places []int32
	f.stream, places = newStream(tokens, a.words[l.lang.Family], names)
	for _, fn := range found {
		f.functions = append(f.functions, extent{strings.Clone(fn.Name), places[fn.Begin], places[fn.End]})
	}
	for _, h := range a.book.scan(l.lang, tokens, found) {
		f.risks = append(f.risks, risk{h.rule, places[h.token], h.line})
	}
	f.calls = callsOf(tokens, found, places)
	f.sketch = newSketch(f.stream.codes, windowStep)
	f.lines = 1 + strings.Count(strings.TrimSuffix(text, "\n"), "\n")
	return f, nil
}

// readable reports whether text may be handwritten source code.
func readable(text string) bool {
	if strings.IndexByte(text, 0) >= 0 {
		return false
	}
	for len(text) > maxLine {
		end := strings.LastIndexByte(text[:maxLine], '\n')
		if end < 0 {
			return false
		}
		text = text[end+1:]
	}
	return true
}

// bytes returns the approximate memory use of the file.
func (f *file) bytes() int64 {
	return 256 + int64(len(f.path)) + f.stream.bytes() + int64(2*cap(f.sketch)+40*cap(f.functions)+16*cap(f.risks)+4*cap(f.calls))
}

// functionOf returns the function that contains a token.
func (f *file) functionOf(at int) (extent, bool) {
	for _, fn := range f.functions {
		if int(fn.begin) <= at && at < int(fn.end) {
			return fn, true
		}
	}
	return extent{}, false
}
