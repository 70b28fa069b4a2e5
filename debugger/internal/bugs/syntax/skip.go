package syntax

import (
	"slices"
	"strings"
)

// A comment is a form of comments that end with a mark.
type comment struct {
	open, close string
	nested      bool // comments within count
}

// leaveOut goes over what is no code, if it is next: a comment, a directive of a
// preprocessor, an attribute, the text around a program.
func (s *scanner) leaveOut(c byte) bool {
	switch {
	case c == '#' && s.fresh && s.directiveNext():
		s.leaveDirective()
	case c == '#' && s.grammar.attributes && !s.leaving && (s.sees("#[") || s.sees("#![")):
		s.leaveAttribute()
	case c == '?' && s.grammar.tags && s.sees("?>"):
		s.leaveTag()
	case c == '/' || c == '#':
		return s.leaveComment()
	default:
		return false
	}
	return true
}

func (s *scanner) leaveComment() bool {
	for i := range s.grammar.comments {
		if c := &s.grammar.comments[i]; s.sees(c.open) {
			s.skip(c.length(s.text[s.at:]))
			return true
		}
	}
	if slices.ContainsFunc(s.grammar.lineComments, s.sees) {
		s.leaveLine()
		return true
	}
	return false
}

// length is the length of the comment that text begins with.
func (c *comment) length(text string) int {
	i := len(c.open)
	if !c.nested {
		if n := strings.Index(text[i:], c.close); n >= 0 {
			return i + n + len(c.close)
		}
		return len(text)
	}
	for depth := 1; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], c.close):
			i += len(c.close)
			if depth--; depth == 0 {
				return i
			}
		case strings.HasPrefix(text[i:], c.open):
			i += len(c.open)
			depth++
		default:
			i++
		}
	}
	return len(text)
}

// leaveLine goes to the end of the line, or where the program ends on it.
func (s *scanner) leaveLine() {
	end := lineEnd(s.text, s.at)
	for s.grammar.splices && end < len(s.text) && spliced(s.text, end) {
		end = lineEnd(s.text, end+1)
	}
	if s.grammar.tags {
		if n := strings.Index(s.text[s.at:end], "?>"); n >= 0 {
			end = s.at + n
		}
	}
	s.skip(end - s.at)
}

// directiveNext reports whether the number sign that is next begins a directive.
func (s *scanner) directiveNext() bool {
	if s.grammar.directives == "" || s.leaving {
		return false
	}
	word, _ := directive(s.text[s.at:])
	return s.grammar.directives == anyWord || word != "" && hasWord(s.grammar.directives, word)
}

// directive is the word of the directive that text begins with, and what
// follows it.
func directive(text string) (word, rest string) {
	rest = strings.TrimLeft(text[1:], " \t")
	n := wordLength(rest)
	return rest[:n], rest[n:]
}

// leaveDirective goes to the end of a directive, or of what it excludes. What is
// in it is read, for a comment may begin in it and end on another line.
func (s *scanner) leaveDirective() {
	if excludes(s.text[s.at:]) {
		s.leaveExcluded()
		return
	}
	s.leave(func() bool {
		s.fresh = false
		return s.text[s.at] == '\n' && !spliced(s.text, s.at)
	})
}

// leave reads and leaves out what comes, at least the next byte, until done.
func (s *scanner) leave(done func() bool) {
	kept := len(s.tokens)
	s.leaving = true
	s.at++
	for s.at < len(s.text) && !done() {
		s.next()
	}
	s.leaving = false
	s.tokens = s.tokens[:kept]
}

// excludes reports whether text begins with #if 0.
func excludes(text string) bool {
	word, rest := directive(text)
	if word != "if" || rest == "" {
		return false
	}
	rest = strings.TrimSpace(rest[:lineEnd(rest, 0)])
	zero, ok := strings.CutPrefix(rest, "0")
	zero = strings.TrimSpace(zero)
	return ok && (zero == "" || zero[0] == '/')
}

// leaveExcluded goes to the directive that ends what #if 0 excludes.
func (s *scanner) leaveExcluded() {
	depth := 0
	for s.at < len(s.text) {
		s.skip(lineEnd(s.text, s.at) + 1 - s.at)
		line := strings.TrimLeft(s.text[s.at:lineEnd(s.text, s.at)], " \t")
		if !strings.HasPrefix(line, "#") {
			continue
		}
		switch word, _ := directive(line); word {
		case "if", "ifdef", "ifndef":
			depth++
		case "endif":
			if depth--; depth < 0 {
				return
			}
		case "else", "elif":
			if depth == 0 {
				return
			}
		}
	}
}

// leaveAttribute goes over #[…], with the brackets within.
func (s *scanner) leaveAttribute() {
	begin := len(s.tokens)
	depth := 0
	s.leave(func() bool {
		for ; begin < len(s.tokens); begin++ {
			switch s.tokens[begin].Text {
			case "[":
				depth++
			case "]":
				if depth--; depth == 0 {
					return true
				}
			}
		}
		return false
	})
}

// tagIn reports whether a text says itself where a program begins in it.
func tagIn(text string) bool { return strings.Contains(text, "<?") }

// leaveTag goes to where the program goes on, behind the next <?php or <?=.
func (s *scanner) leaveTag() {
	n := strings.Index(s.text[s.at:], "<?")
	if n < 0 {
		s.skip(len(s.text))
		return
	}
	s.skip(n + len("<?"))
	if s.peek(0) == '=' {
		s.skip(1)
		return
	}
	s.skip(wordLength(s.text[s.at:]))
}

// anyWord stands for all words in a list of words.
const anyWord = "*"

// hasWord reports whether a list, whose words are separated by blanks, has word.
func hasWord(list, word string) bool {
	for known := range strings.FieldsSeq(list) {
		if known == word {
			return true
		}
	}
	return false
}
