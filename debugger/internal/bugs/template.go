package bugs

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// A Template is source code with holes, which a search may ask for instead of a
// site:
//
//	free($x); … use($x)
//	! $x =
//
// $x is a hole. It matches an expression without operators, such as p, p->next
// or f(a)[0], and the same one at each occurrence. An ellipsis, … or three dots,
// after a semicolon, a brace or the end of a line matches code up to the end of
// the block; another one matches the rest of a statement or of its brackets. The
// template must not match what the lines that begin with an exclamation mark
// show: within its ellipses, or after it in the block if it has none. All else
// matches the same tokens, whatever the layout.
type Template struct {
	text   string
	absent []string // after the exclamation marks
}

// maxTemplate is the size limit of a template in bytes.
const maxTemplate = 4 << 10

// ParseTemplate parses a template. A search compiles it again for each language of
// the tree.
func ParseTemplate(text string) (*Template, error) {
	if len(text) > maxTemplate {
		return nil, fmt.Errorf("it has more than %d bytes", maxTemplate)
	}
	t := &Template{}
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "! "); ok {
			t.absent = append(t.absent, rest)
		} else {
			t.text += line
		}
	}
	// The lexer of any language shows whether there is something to search for.
	if _, err := t.compile(context.Background(), &syntax.Languages[0]); err != nil {
		return nil, err
	}
	return t, nil
}

// A compiledTemplate is a template in the tokens of a language.
type compiledTemplate struct {
	parts []pattern // separated by ellipses; the last one may be empty
	never []pattern
	names []string // that a file must contain
	holes variables
}

var errNoTemplate = errors.New("it has no code besides holes")

// compile returns the template in the tokens of a language.
func (t *Template) compile(ctx context.Context, lang *syntax.Language) (*compiledTemplate, error) {
	s := &compiledTemplate{}
	err := s.parse(ctx, lang, t.text)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.parts[0], element.concrete) {
		return nil, errNoTemplate
	}
	for _, text := range t.absent {
		absent := compiledTemplate{holes: s.holes}
		switch err := absent.parse(ctx, lang, text); {
		case err != nil:
			return nil, err
		case len(absent.parts) > 1 || len(absent.parts[0]) == 0:
			return nil, fmt.Errorf("%q is not one piece of code", text)
		case len(absent.holes) > len(s.holes):
			return nil, fmt.Errorf("%q has a hole that the rest lacks", text)
		}
		s.never = append(s.never, absent.parts[0])
	}
	if len(s.never) > 0 && len(s.parts) == 1 {
		s.parts = append(s.parts, nil)
	}
	return s, nil
}

// concrete reports whether e matches only certain tokens.
func (e element) concrete() bool { return e.op == literal || e.op == exactString }

// Names that stand for holes and ellipses while a template is split into tokens.
const (
	holePrefix = "zQ7hole_"
	gapName    = "zQ7gap"
)

var (
	holeForm = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*)`)
	gapForm  = regexp.MustCompile(`…|\.\.\.`)
)

// parse appends the parts of a text.
func (s *compiledTemplate) parse(ctx context.Context, lang *syntax.Language, text string) error {
	text = holeForm.ReplaceAllString(text, " "+holePrefix+"$1 ")
	text = gapForm.ReplaceAllString(text, " "+gapName+" ")
	tokens, err := syntax.Lex(ctx, lang, text)
	if err != nil {
		return err
	}
	var part pattern
	for i, t := range tokens {
		if lang.LinesEndStatements() && i > 0 && t.First && endsLine(tokens[i-1]) {
			part = append(part, element{op: statementEnd})
		}
		switch {
		case t.Text == gapName && (len(part) == 0 || betweenStatements(tokens, i)):
			s.parts = append(s.parts, part)
			part = nil
			continue
		case t.Text == ";" && len(part) == 0:
			continue
		}
		e, err := s.element(t)
		if err != nil {
			return err
		}
		part = append(part, e)
	}
	s.parts = append(s.parts, part)
	if len(s.parts) > 1 && len(s.parts[0]) == 0 {
		s.parts = s.parts[1:]
	}
	if slices.ContainsFunc(s.parts[:len(s.parts)-1], func(p pattern) bool { return len(p) == 0 }) {
		return errors.New("it has two ellipses in a row")
	}
	return nil
}

// endsLine reports whether the end of a line after t ends a statement.
func endsLine(t syntax.Token) bool {
	switch t.Kind {
	case syntax.SymbolToken:
		return t.Text == ")" || t.Text == "]"
	case syntax.KeywordToken, syntax.NameToken, syntax.NumberToken, syntax.StringToken:
		return t.Text != gapName
	default:
		return false
	}
}

// betweenStatements reports whether the ellipsis at i matches statements.
func betweenStatements(tokens []syntax.Token, i int) bool {
	if i == 0 || tokens[i].First {
		return true
	}
	before := tokens[i-1].Text
	return before == ";" || before == "{" || before == "}"
}

// element returns the element for a token.
func (s *compiledTemplate) element(t syntax.Token) (element, error) {
	name, isHole := strings.CutPrefix(t.Text, holePrefix)
	switch {
	case isHole:
		slot, err := s.holes.slot(name)
		if err != nil {
			return element{}, fmt.Errorf("more than %d holes", slots)
		}
		return element{op: hole, slot: slot}, nil
	case t.Text == gapName:
		return element{op: gap}, nil
	case t.Text == ";":
		return element{op: statementEnd}, nil
	case t.Kind == syntax.StringToken:
		return element{op: exactString, words: []string{t.Text}}, nil
	}
	if t.Kind == syntax.NameToken {
		s.names = append(s.names, t.Text)
	}
	return element{op: literal, words: []string{t.Text}}, nil
}
