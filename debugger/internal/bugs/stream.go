package bugs

import (
	"slices"
	"sort"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs/syntax"
)

// Codes of tokens whose text does not matter. Other tokens have a code derived
// from their text.
const (
	codeName uint16 = iota + 1
	codeCall
	codeNumber
	codeString
	codeOther // the first code of a text
)

// A stream is the form in which files are compared: the tokens without the
// spelling of names and literals, and without differences of layout.
type stream struct {
	codes  []uint16
	names  []uint32 // ids of names and literals in the dictionary, else 0
	starts []uint32 // the first token of each line, from line 1
}

// vocabulary is the set of names that keep their identity: calls that rules
// match.
type vocabulary map[string]bool

// newVocabulary returns the names at which rules begin.
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

// all returns the rules of a set, some of them more than once.
func (s *ruleSet) all() []*compiled {
	all := s.open
	for _, rules := range s.byWord {
		all = append(slices.Clip(all), rules...)
	}
	return all
}

// dropped lists tokens that are optional or a matter of layout.
var dropped = map[string]bool{";": true, "{": true, "}": true, "": true}

// newStream returns the stream of tokens. The second result maps each token to
// its position, or that of the next one, in the stream.
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

// maxNamed is the length up to which a string literal counts as a name.
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

// hash16 returns a hash of text by FNV-1a that is never zero. A collision only
// makes code look more similar than it is.
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

// line returns the line of a token, from 1.
func (s stream) line(at int) int {
	return sort.Search(len(s.starts), func(i int) bool { return s.starts[i] > uint32(at) })
}

// tokenOf returns the first token on or after a line.
func (s stream) tokenOf(line int) int {
	if line-1 < len(s.starts) {
		return int(s.starts[max(0, line-1)])
	}
	return len(s.codes)
}

// bytes returns the approximate memory use of the stream.
func (s stream) bytes() int64 {
	return int64(2*cap(s.codes) + 4*cap(s.names) + 4*cap(s.starts))
}
