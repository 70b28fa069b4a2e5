package secrets

import "strings"

// A Match is a part of a text that looks like a secret, in bytes.
type Match struct {
	From, To int
	Rule     string // the id of the rule that found it
}

// A Rest describes the part of a text that the limits left unsearched: from a byte on, for
// the secrets of a rule, and all of it for those of the rules after it.
type Rest struct {
	From int
	Rule string
}

// A Kind is the kind of a text.
type Kind uint8

// The kinds of texts.
const (
	// Prose is text about software, which talks of tokens and has examples of
	// them: rules that go by such a word alone are left out, and so are
	// placeholders.
	Prose Kind = 1 << iota
	// Report is the answer of a tool about a program: names, types and values.
	Report
	// Data comes from a program itself: its memory, environment and output.
	Data
)

// MaxBytes is the number of bytes of a text that are searched, counted for each rule. It
// suffices for all rules and a prose of 64 KiB. Of other texts, in which only the
// surroundings of keywords are searched, [MaxMasked] bytes are.
const (
	MaxBytes  = 16 << 20
	MaxMasked = 2 << 20
)

// Find returns what looks like a secret, by rule and place. No two matches begin at one
// byte. Rest is nil if the whole text was searched.
func Find(text string, kind Kind) (found []Match, rest *Rest) {
	s := &search{text: text, kind: kind, left: MaxMasked, begun: map[int]int{}}
	switch kind {
	case Prose:
		s.left = MaxBytes
	case Report:
		s.text = withoutEscapes(text)
	}
	s.lower = smallLetters(s.text)
	for _, r := range rules() {
		if r.kinds&kind == 0 {
			continue
		}
		keywords := r.find(s)
		if keywords.next() < 0 {
			continue
		}
		if at, ok := s.rule(r, keywords); !ok {
			return s.found, &Rest{at, r.id}
		}
	}
	return s.found, nil
}

// A search is the search of one text.
type search struct {
	text, lower string
	kind        Kind
	left        int         // how many bytes may still be searched
	begun       map[int]int // the place in found of the match that begins at a byte
	found       []Match
}

// rule searches the text for the secrets of a rule. If it may not search all of it, it
// returns the place from which on it did not, and false.
func (s *search) rule(r *rule, keywords *finder) (rest int, ok bool) {
	for _, part := range s.windows(keywords) {
		for to := part[1]; ; {
			if s.left -= to - part[0]; s.left < 0 {
				return part[0], false
			}
			if !s.in(r, part[0], to) || to == len(s.text) {
				break
			}
			to = min(len(s.text), part[0]+4*(to-part[0]))
		}
	}
	return 0, true
}

// in searches a part of the text for the secrets of a rule, and reports whether one may
// go on behind it.
func (s *search) in(r *rule, from, to int) (more bool) {
	for _, at := range r.compile().FindAllStringSubmatchIndex(s.text[from:to], -1) {
		begin, end := r.secret(at)
		begin, end = from+begin, from+end
		more = more || end == to
		if s.kind == Report {
			end = begin + len(strings.TrimRight(s.text[begin:end], " "))
		}
		if secret := s.text[begin:end]; r.takes(secret) && !s.harmless(secret) {
			s.add(Match{begin, end, r.id})
		}
	}
	return more
}

// add adds a match. Of those that begin at one byte it keeps the first one of prose, and
// the longest one of other texts.
func (s *search) add(m Match) {
	i, begun := s.begun[m.From]
	switch {
	case !begun:
		s.begun[m.From] = len(s.found)
		s.found = append(s.found, m)
	case s.kind != Prose && s.found[i].To < m.To:
		s.found[i] = m
	}
}

// harmless reports whether a text that a rule has found is no secret after all. A mask
// over an example does no harm, so only prose may have examples.
func (s *search) harmless(secret string) bool {
	if s.kind == Prose {
		return placeholder().MatchString(secret)
	}
	return strings.HasPrefix(secret, masked)
}
