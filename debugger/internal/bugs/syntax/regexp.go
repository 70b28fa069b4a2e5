package syntax

// regexp reads the regular expression whose slash is next, if it is one and no
// division.
func (s *scanner) regexp() bool {
	if s.at < s.noRegexp || s.operandBefore() {
		return false
	}
	n := regexpLength(s.text[s.at:])
	if n == 0 {
		s.noRegexp = lineEnd(s.text, s.at) // one that begins later has no end either
		return false
	}
	s.emit(n, StringToken)
	return true
}

// regexpLength is the length of the regular expression that text begins with, 0
// when it does not end on its line.
func regexpLength(text string) int {
	class := false
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) && text[i] == '\n' {
				return 0
			}
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1 + wordLength(text[i+1:])
			}
		}
	}
	return 0
}

// operandBefore reports whether a value ends where s is, so that a slash divides
// it. Behind an angle bracket it closes an element of JSX.
func (s *scanner) operandBefore() bool {
	if len(s.tokens) == 0 {
		return false
	}
	switch last := s.tokens[len(s.tokens)-1]; last.Kind {
	case SymbolToken:
		return hasWord(") ] } ++ -- <", last.Text)
	case KeywordToken:
		return !hasWord("await case delete do else extends in instanceof new of return throw typeof void yield", last.Text)
	default:
		return true
	}
}
