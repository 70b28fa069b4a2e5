package selection

import (
	"strconv"
	"strings"
)

// addText reads a piece of a text node.
func (m *machine) addText(text []byte) error {
	if !m.inText {
		if err := m.beginText(); err != nil {
			return err
		}
	}
	if m.textHere {
		m.text = append(m.text, text...)
		if len(m.text) > maxText {
			return ErrTree
		}
	}
	for _, w := range m.watchers {
		if w.operand.end == texts {
			w.inText = w.reached() && len(m.frames)-1 == w.depth+w.progress
		}
		if w.capturing || w.inText {
			w.text = append(w.text, text...)
			m.captured += len(text)
		}
	}
	if m.captured > maxText {
		return ErrTree
	}
	return nil
}

func (m *machine) beginText() error {
	m.inText = true
	m.top().texts++
	m.selected, m.textHere, m.text = support{}, false, m.text[:0]
	if m.query.leaf != texts {
		return nil
	}
	last := len(m.steps) - 1
	s, err := m.leafSupport(last)
	if err != nil {
		return err
	}
	m.selected = s
	m.textHere = s.ok && (m.results.wanted() || len(m.steps[last].predicates) > 0)
	return nil
}

// leafSupport returns what selects the attributes or texts of the innermost element.
func (m *machine) leafSupport(last int) (support, error) {
	s := m.before(last, m.top())
	if s.many {
		return s, ErrTree
	}
	return s, nil
}

// endText reads the end of a text node.
func (m *machine) endText() error {
	m.inText = false
	for _, w := range m.watchers {
		if w.inText {
			w.inText = false
			if err := m.release(w, true); err != nil {
				return err
			}
		}
	}
	if !m.selected.ok {
		return nil
	}
	step := &m.steps[len(m.steps)-1]
	if holds, err := m.leafHolds(step, string(m.text)); err != nil || !holds {
		return err
	}
	if !m.results.wanted() {
		return m.results.add(m.selected.by, nil)
	}
	f := m.top()
	return m.results.add(m.selected.by, &Result{
		Kind: "text", Path: m.path() + "/text()[" + strconv.Itoa(f.texts) + "]",
		Value: m.cut(string(m.text)), Line: f.line, Column: f.column,
	})
}

// cut drops what no answer shows of a value.
func (m *machine) cut(value string) string {
	return strings.Clone(value[:min(len(value), m.options.Room+extra)])
}

// leafHolds reports whether the predicates of an attribute or a text hold.
func (m *machine) leafHolds(step *boundStep, value string) (bool, error) {
	if len(step.predicates) == 0 {
		return true, nil
	}
	values := make([]truth, len(step.operands))
	for i := range step.operands {
		holds, err := step.operands[i].value(value, m.strict1)
		if err != nil {
			return false, err
		}
		values[i] = truthOf(holds)
	}
	for _, p := range step.predicates {
		if p.when.truth(values) == no {
			return false, nil
		}
	}
	return true, nil
}
