package secrets

// A Match is a part of a text that looks like a secret, in bytes.
type Match struct {
	From, To int
	Rule     string // the id of the rule that found it
}

// A Rest is what was not searched because of the limits: the text from a byte on, for
// the secrets of a rule and of those after it.
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
	Prose Kind = iota
)

// MaxBytes is the number of bytes of a text that are searched, counted for each rule.
// It suffices for all rules and a text of 64 KiB.
const MaxBytes = 16 << 20

// Find returns what looks like a secret, by rule and place. No two matches begin at one
// byte. Rest is nil if the whole text was searched.
func Find(text string, kind Kind) (found []Match, rest *Rest) {
	s := &search{text: text, lower: smallLetters(text), kind: kind, begun: map[int]bool{}}
	left := MaxBytes
	for _, r := range rules() {
		if kind == Prose && r.general || r.find(s.lower).next() < 0 {
			continue
		}
		for _, part := range r.windows(text, s.lower) {
			if left -= part[1] - part[0]; left < 0 {
				return s.found, &Rest{part[0], r.ID}
			}
			s.in(r, part[0], part[1])
		}
	}
	return s.found, nil
}

// A search is the search of one text.
type search struct {
	text, lower string
	kind        Kind
	begun       map[int]bool // where matches begin
	found       []Match
}

// in searches a part of the text for the secrets of a rule.
func (s *search) in(r *rule, from, to int) {
	for _, at := range r.compile().FindAllStringSubmatchIndex(s.text[from:to], -1) {
		begin, end := r.secret(at)
		begin, end = from+begin, from+end
		secret := s.text[begin:end]
		if s.begun[begin] || entropy(secret) < r.Entropy || s.kind == Prose && placeholder().MatchString(secret) || r.allows(secret) {
			continue
		}
		s.begun[begin] = true
		s.found = append(s.found, Match{begin, end, r.ID})
	}
}
