package bugs

import (
	"slices"
	"sort"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// Codes of tokens that are all alike. Other tokens have a code of their text.
const (
	codeName uint16 = iota + 1
	codeCall
	codeNumber
	codeString
	codeOther // the first code of a text
)

// A stream is a file as it is compared: what tokens it consists of, without
// names, literals, and what differs by layout alone.
type stream struct {
	codes  []uint16
	names  []uint32 // for names and literal texts their number in the dictionary, else 0
	starts []uint32 // for each line, from 1 on, its first token
}

// vocabulary is the words that keep their identity: calls that rules know.
type vocabulary map[string]bool

// newVocabulary has the names that rules ask for in their beginning.
func newVocabulary(rules *ruleSet) vocabulary {
	words := vocabulary{}
	for _, c := range rules.all() {
		for _, e := range c.first {
			for _, w := range e.words {
				words[w] = true
			}
		}
	}
	return words
}

// all are the rules of a set; some are in it more than once.
func (s *ruleSet) all() []*compiled {
	all := s.open
	for _, rules := range s.byWord {
		all = append(slices.Clip(all), rules...)
	}
	return all
}

// dropped are tokens that differ between two ways to write the same code.
var dropped = map[string]bool{";": true, "{": true, "}": true, "": true}

// newStream makes a stream of tokens. The second result says for each token
// where it, or what follows it, is in the stream.
func newStream(tokens []syntax.Token, words vocabulary, names *dictionary) (stream, []int32) {
	s := stream{codes: make([]uint16, 0, len(tokens)), names: make([]uint32, 0, len(tokens))}
	var texts []string
	local := map[string]uint32{} // 1 + the index in texts
	places := make([]int32, len(tokens)+1)
	for i, t := range tokens {
		places[i] = int32(len(s.codes))
		if t.Kind == syntax.SymbolToken && dropped[t.Text] {
			continue
		}
		for len(s.starts) < int(t.Line) {
			s.starts = append(s.starts, uint32(len(s.codes)))
		}
		s.codes = append(s.codes, encode(tokens, i, words))
		name := uint32(0)
		if t.Kind == syntax.NameToken || t.Kind == syntax.StringToken && len(t.Text) <= maxNamed {
			if name = local[t.Text]; name == 0 {
				texts = append(texts, t.Text)
				name = uint32(len(texts))
				local[t.Text] = name
			}
		}
		s.names = append(s.names, name)
	}
	places[len(tokens)] = int32(len(s.codes))
	ids := names.number(texts)
	for i, name := range s.names {
		if name != 0 {
			s.names[i] = ids[name-1]
		}
	}
	return s, places
}

// maxNamed is the length up to which a literal text counts as a name.
const maxNamed = 120

// encode returns the code of token i.
func encode(tokens []syntax.Token, i int, words vocabulary) uint16 {
	t := tokens[i]
	switch t.Kind {
	case syntax.NumberToken:
		return codeNumber
	case syntax.StringToken:
		return codeString
	case syntax.NameToken:
		called := i+1 < len(tokens) && tokens[i+1].Text == "("
		switch {
		case called && words[t.Text]:
			return textCode(t.Text)
		case called:
			return codeCall
		default:
			return codeName
		}
	default:
		return textCode(t.Text)
	}
}

// hash16 is a hash of text that is never zero, by FNV-1a. Code in
// which two names collide looks more alike than it is, no more.
func hash16(text string) uint16 {
	h := uint32(2166136261)
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return max(1, uint16(h^h>>16))
}

func textCode(text string) uint16 {
	return codeOther + hash16(text)%(^uint16(0)-codeOther)
}

// line is the line of a token, from 1.
func (s stream) line(at int) int {
	return sort.Search(len(s.starts), func(i int) bool { return s.starts[i] > uint32(at) })
}

// tokenOf is the first token on a line, or behind it if there is none.
func (s stream) tokenOf(line int) int {
	if line-1 < len(s.starts) {
		return int(s.starts[max(0, line-1)])
	}
	return len(s.codes)
}

// bytes is about how much memory the stream takes.
func (s stream) bytes() int64 {
	return int64(2*cap(s.codes) + 4*cap(s.names) + 4*cap(s.starts))
}
