package selection

import (
	"github.com/lestrrat-go/helium/xpath3"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// A truth is true, false or not yet known.
type truth int8

const (
	no      truth = -1
	unknown truth = 0
	yes     truth = 1
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// A match is an element that is selected by a step if predicates hold that are known at
// its end only.
type match struct {
	step   *boundStep
	up     *match  // what it depends on, too; nil for nothing
	values []truth // of the operands, by index
	state  truth
}

// verdict reports whether m and all that it depends on hold. That of nil is yes.
func (m *match) verdict() truth {
	all := yes
	for ; m != nil; m = m.up {
		switch m.state {
		case no:
			return no
		case unknown:
			all = unknown
		case yes:
		}
	}
	return all
}

// decide settles a match at the end of its element, where every operand is known.
func (m *match) decide() {
	for i, v := range m.values {
		if o := m.step.operands[i]; v == unknown {
			m.values[i] = truthOf((o.ask == contains || o.ask == startsWith) && o.literal.text == "")
		}
	}
	m.state = yes
	for _, p := range m.step.predicates {
		if !p.position && p.when.truth(m.values) == no {
			m.state = no
		}
	}
}

// truth returns the truth of a condition for the truth of its operands.
func (c condition) truth(values []truth) truth {
	switch c.join {
	case xpath3.TokenAnd:
		return min(c.parts[0].truth(values), c.parts[1].truth(values))
	case xpath3.TokenOr:
		return max(c.parts[0].truth(values), c.parts[1].truth(values))
	case xpath3.TokenBang:
		return -c.parts[0].truth(values)
	}
	return values[c.operand.index]
}

// A support says whether a step selects a node: it does not, it does if a match holds, or
// it does in any case.
type support struct {
	ok   bool
	by   *match // nil for any case
	many bool   // it depends on one of several matches
}

func (s support) sure() bool { return s.ok && s.by == nil && !s.many }

// or returns the support of one of two.
func (s support) or(t support) support {
	switch {
	case !s.ok || t.sure():
		return t
	case !t.ok || s.sure() || s == t:
		return s
	}
	return support{ok: true, many: true}
}

// A watcher follows the path of an operand below the element of a match.
type watcher struct {
	*match
	operand   *boundOperand
	depth     int  // of the element of the match
	progress  int  // elements of the path that are open
	hits      int  // values so far
	capturing bool // an element's text
	inText    bool // the operand selects the text node that is being read
	text      []byte
}

// reached reports whether the innermost element of the path is open.
func (w *watcher) reached() bool { return w.progress == len(w.operand.path) }

// value notes a value of the operand. XPath 1.0 takes the first node for a string, 3.1
// permits no more than one.
func (w *watcher) value(text string, strict1 bool) error {
	w.hits++
	if w.hits > 1 && (w.operand.ask == contains || w.operand.ask == startsWith) {
		if strict1 {
			return nil
		}
		return ErrTree
	}
	holds, err := w.operand.value(text, strict1)
	if err != nil {
		return err
	}
	w.values[w.operand.index] = max(w.values[w.operand.index], truthOf(holds))
	return nil
}

// attributeTruth reports whether an operand of attributes of an element holds.
func (o *boundOperand) attributeTruth(attrs []event.Attr, strict1 bool) (truth, error) {
	text := o.ask == contains || o.ask == startsWith
	result, hits := no, 0
	for _, a := range attrs {
		if !o.attribute.matches(a.Name) {
			continue
		}
		if hits++; hits > 1 && text {
			if strict1 {
				break
			}
			return no, ErrTree
		}
		holds, err := o.value(a.Value, strict1)
		if err != nil {
			return no, err
		}
		result = max(result, truthOf(holds))
	}
	if hits == 0 && text {
		return truthOf(o.literal.text == ""), nil
	}
	return result, nil
}
