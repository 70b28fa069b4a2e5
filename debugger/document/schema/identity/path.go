package identity

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// A Name is an expanded name.
type Name = event.Name

// An Expression is the expression of a selector or of a field.
type Expression struct {
	Text  string
	paths []path
}

// A path is one of the alternatives of an expression.
type path struct {
	deep      bool // it begins with .//
	steps     []nameTest
	attribute *nameTest // at the end of a field's path
}

// A nameTest is a name, or one of the forms with an asterisk.
type nameTest struct {
	name             Name
	anySpace, anyOne bool // of the namespace, of the local name
}

func (t nameTest) matches(n Name) bool {
	return (t.anyOne || t.name.Local == n.Local) && (t.anySpace || t.name.Space == n.Space)
}

const (
	// maxSteps limits the steps of a path: a state is a bit.
	maxSteps = 63
	// maxPaths limits the alternatives.
	maxPaths = 1000
)

// Selector reads the expression of a selector (part 1, section 3.11.6).
func Selector(text string, scope datatype.Scope) (*Expression, error) {
	return parse(text, scope, false)
}

// Field reads the expression of a field, which may end with an attribute.
func Field(text string, scope datatype.Scope) (*Expression, error) {
	return parse(text, scope, true)
}

func parse(text string, scope datatype.Scope, field bool) (*Expression, error) {
	e := &Expression{Text: text}
	for alternative := range strings.SplitSeq(text, "|") {
		if len(e.paths) == maxPaths {
			return nil, fmt.Errorf("it has more than %d alternatives", maxPaths)
		}
		tokens, err := tokenize(alternative)
		if err != nil {
			return nil, err
		}
		p := pathParser{tokens: tokens, scope: scope, field: field}
		made, err := p.path()
		if err != nil {
			return nil, err
		}
		e.paths = append(e.paths, made)
	}
	return e, nil
}

// tokenize splits a path into names, with their prefixes, and signs.
func tokenize(text string) ([]string, error) {
	var tokens []string
	for i := 0; i < len(text); {
		rest := text[i:]
		switch n := event.NCNameLength(rest); {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
			i++
			continue
		case n > 0 && strings.HasPrefix(rest[n:], "::"):
			tokens = append(tokens, rest[:n])
			i += n
		case n > 0 && strings.HasPrefix(rest[n:], ":*"):
			tokens = append(tokens, rest[:n+2])
			i += n + 2
		case n > 0 && strings.HasPrefix(rest[n:], ":") && event.NCNameLength(rest[n+1:]) > 0:
			n += 1 + event.NCNameLength(rest[n+1:])
			tokens = append(tokens, rest[:n])
			i += n
		case n > 0:
			tokens = append(tokens, rest[:n])
			i += n
		default:
			sign := signAt(rest)
			if sign == "" {
				return nil, fmt.Errorf("'%.1s' is not expected", rest)
			}
			tokens = append(tokens, sign)
			i += len(sign)
		}
	}
	return tokens, nil
}

// signs are the signs of expressions, those that others begin with last.
var signs = []string{"//", "::", "..", ".", "/", "@", "*"}

func signAt(text string) string {
	for _, sign := range signs {
		if strings.HasPrefix(text, sign) {
			return sign
		}
	}
	return ""
}

// A pathParser reads the tokens of a path.
type pathParser struct {
	tokens []string
	scope  datatype.Scope
	field  bool
}

// next returns the next token, or "" at the end.
func (p *pathParser) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0]
}

// accept reads some tokens if they are next.
func (p *pathParser) accept(tokens ...string) bool {
	if len(p.tokens) < len(tokens) {
		return false
	}
	for i, token := range tokens {
		if p.tokens[i] != token {
			return false
		}
	}
	p.tokens = p.tokens[len(tokens):]
	return true
}

func (p *pathParser) path() (path, error) {
	made := path{deep: p.accept(".", "//")}
	for {
		if p.field && (p.accept("@") || p.accept("attribute", "::")) {
			test, err := p.nameTest()
			if err == nil && len(p.tokens) > 0 {
				err = fmt.Errorf("'%s' is not expected behind an attribute", p.next())
			}
			made.attribute = &test
			return made, err
		}
		if !p.accept(".") {
			p.accept("child", "::")
			test, err := p.nameTest()
			if err != nil {
				return made, err
			}
			if made.steps = append(made.steps, test); len(made.steps) > maxSteps {
				return made, fmt.Errorf("it has more than %d steps", maxSteps)
			}
		}
		if len(p.tokens) == 0 {
			return made, nil
		}
		if !p.accept("/") {
			return made, fmt.Errorf("'%s' is not expected", p.next())
		}
	}
}

// nameTest reads a name, prefix:* or *.
func (p *pathParser) nameTest() (nameTest, error) {
	token := p.next()
	if token == "" {
		return nameTest{}, fmt.Errorf("a name is missing at the end")
	}
	if token == "*" {
		p.accept("*")
		return nameTest{anySpace: true, anyOne: true}, nil
	}
	if event.NCNameLength(token) == 0 {
		return nameTest{}, fmt.Errorf("'%s' is not expected", token)
	}
	p.accept(token)
	prefix, local, prefixed := strings.Cut(token, ":")
	if !prefixed {
		return nameTest{name: Name{Local: token}}, nil
	}
	space, ok := p.scope.Lookup(prefix)
	if !ok {
		return nameTest{}, fmt.Errorf("the prefix '%s' is not declared", prefix)
	}
	return nameTest{name: Name{Space: space, Local: local}, anyOne: local == "*"}, nil
}
