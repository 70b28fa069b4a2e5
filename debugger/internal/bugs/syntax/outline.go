package syntax

import (
	"slices"
	"strings"
)

// A Function is a range of tokens with a name. The range begins at the name's
// declaration and ends behind the last token of the body.
type Function struct {
	Name       string
	Begin, End int // tokens[begin:end]
	Body       int // where the body begins
}

// Functions finds the outermost functions of a file, in order. Code that does
// not parse gives fewer or longer ones, never overlapping ones.
func Functions(lang *Language, tokens []Token) []Function {
	switch lang.Outline {
	case ByKeyword:
		return keywordFunctions(strings.Fields(lang.keywords), tokens)
	case ByIndent:
		return indentFunctions(lang.keywords, tokens)
	default:
		return shapeFunctions(tokens)
	}
}

// keywordFunctions finds functions that begin with a keyword.
func keywordFunctions(keywords []string, tokens []Token) []Function {
	var found []Function
	for i := 0; i < len(tokens); i++ {
		if !isOneOf(tokens[i].Text, keywords) || tokens[i].Kind == StringToken {
			continue
		}
		body := bodyAfter(tokens, i+1, keywords)
		if body < 0 {
			continue
		}
		f := Function{Name: nameAfter(tokens, i+1), Begin: i, Body: body, End: Closing(tokens, body)}
		found = append(found, f)
		i = f.End - 1
	}
	return found
}

func isOneOf(text string, words []string) bool {
	return slices.Contains(words, text)
}

// headLimit is the most tokens that the head of a function may have.
const headLimit = 400

// bodyAfter is the first open brace of a function whose head begins at i, -1 when
// it has no body. The braces of types in the head are not the body's, and a line
// that begins with one of keywords is the next function's.
func bodyAfter(tokens []Token, i int, keywords []string) int {
	depth := 0
	for end := min(len(tokens), i+headLimit); i < end; i++ {
		switch tokens[i].Text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case ";":
			if depth <= 0 {
				return -1
			}
		case "{":
			if typeBraces(tokens, i) {
				i = Closing(tokens[:end], i) - 1
			} else if depth <= 0 {
				return i
			}
		}
		if depth < 0 || tokens[i].First && isOneOf(tokens[i].Text, keywords) {
			return -1
		}
	}
	return -1
}

// typeBraces reports whether the brace at i belongs to interface{…} or struct{…}.
func typeBraces(tokens []Token, i int) bool {
	return i > 0 && (tokens[i-1].Text == "interface" || tokens[i-1].Text == "struct")
}

// nameAfter is the name of a function whose head begins at i, behind a receiver
// if there is one; empty for a function literal.
func nameAfter(tokens []Token, i int) string {
	if i < len(tokens) && tokens[i].Text == "(" {
		i = Closing(tokens, i)
	}
	if i < len(tokens) && tokens[i].Kind == NameToken {
		return tokens[i].Text
	}
	return ""
}

// Closing is the index behind the bracket that closes the one at i, or the
// number of tokens.
func Closing(tokens []Token, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return len(tokens)
}

// shapeFunctions finds blocks that stand behind a parameter list and are not the
// body of a statement.
func shapeFunctions(tokens []Token) []Function {
	var found []Function
	last := 0
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Text != "{" {
			continue
		}
		name, ok := headBefore(tokens, i, last)
		if !ok {
			continue
		}
		f := Function{Name: tokens[name].Text, Begin: name, Body: i, End: Closing(tokens, i)}
		if tokens[name].Kind != NameToken {
			f.Name = ""
		}
		f.Begin = LineStart(tokens, name, last)
		found = append(found, f)
		i, last = f.End-1, f.End
	}
	return found
}

// LineStart is the first token on the line of the one at i, not before low.
func LineStart(tokens []Token, i, low int) int {
	for i > low && !tokens[i].First {
		i--
	}
	return i
}

// statements are words in front of parentheses that are no function's name.
var statements = map[string]bool{
	"if": true, "for": true, "while": true, "switch": true, "catch": true, "with": true,
	"foreach": true, "using": true, "lock": true, "synchronized": true,
}

// headBefore finds the name in front of the parameter list that belongs to the
// brace at i, not looking before low.
func headBefore(tokens []Token, i, low int) (name int, ok bool) {
	for k := i - 1; k >= low && i-k <= headLimit; k-- {
		switch t := tokens[k].Text; {
		case t == ")":
			low = max(low, k-headLimit)
			open := opening(tokens, k, low)
			if open <= low || statements[tokens[open-1].Text] || attribute(tokens, open-1) {
				return 0, false
			}
			return open - 1, true
		case t == ";" || t == "}" || t == "{" || t == "=" || t == "(" || t == ",":
			return 0, false
		}
	}
	return 0, false
}

// attribute reports whether the name at i is that of a macro in front of a
// block that is no function's: namespace std VISIBILITY(default) {.
func attribute(tokens []Token, i int) bool {
	switch {
	case i > 0 && isOneOf(tokens[i-1].Text, []string{"class", "struct", "union", "enum", "namespace"}):
		return true
	default:
		return i > 1 && tokens[i-2].Text == "namespace"
	}
}

// opening is the index of the parenthesis that the one at i closes, low when
// there is none.
func opening(tokens []Token, i, low int) int {
	depth := 0
	for ; i > low; i-- {
		switch tokens[i].Text {
		case ")":
			depth++
		case "(":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return low
}

// indentFunctions finds functions that end where the indentation goes back.
func indentFunctions(keyword string, tokens []Token) []Function {
	var found []Function
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Text != keyword || tokens[i].Kind == StringToken {
			continue
		}
		f := Function{Name: nameAfter(tokens, i+1), Begin: i, Body: i}
		if i+2 < len(tokens) && tokens[i+2].Text == "(" {
			f.Body = Closing(tokens, i+2)
		}
		f.End = dedent(tokens, max(f.Body, i+1), tokens[LineStart(tokens, i, 0)].Col)
		found = append(found, f)
		i = f.End - 1
	}
	return found
}

// dedent is the first token from i on that begins a line at col or left of it,
// outside of brackets.
func dedent(tokens []Token, i int, col int32) int {
	depth := 0
	for ; i < len(tokens); i++ {
		if tokens[i].First && tokens[i].Col <= col && depth <= 0 {
			return i
		}
		switch tokens[i].Text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
	}
	return i
}
