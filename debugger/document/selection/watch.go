package selection

import "github.com/triptych-mcp/triptych/debugger/document/schema/event"

// predicates applies the predicates of a step to an element, as far as they are known
// from its start tag.
func (m *machine) predicates(step *boundStep, s support, e *event.Event) (support, error) {
	values := make([]truth, len(step.operands))
	for i := range step.operands {
		if o := &step.operands[i]; o.early() {
			var err error
			if values[i], err = o.attributeTruth(e.Attrs, m.strict1); err != nil {
				return support{}, err
			}
		}
	}
	late, risky, at := false, false, step.counts
	for _, p := range step.predicates {
		var holds truth
		if p.position {
			count := &m.parent().counts[at]
			*count++
			at++
			holds = truthOf(compareNumbers(p.op, float64(*count), p.number))
		} else {
			holds = p.when.truth(values)
		}
		risky = risky || p.risky
		if holds == no && !risky {
			return support{}, nil
		}
		late = late || holds != yes
	}
	if !late {
		return s, nil
	}
	made := &match{step: step, up: s.by, values: values}
	m.top().own = append(m.top().own, made)
	return support{ok: true, by: made}, m.follow(made)
}

// maxWatchers limits the operands that are followed at once.
const maxWatchers = 4096

// follow begins to watch the operands of a match.
func (m *machine) follow(made *match) error {
	for i := range made.step.operands {
		o := &made.step.operands[i]
		if o.early() {
			continue
		}
		w := &watcher{match: made, operand: o, depth: len(m.frames) - 1}
		w.capturing = w.reached() && o.end == elements
		m.watchers = append(m.watchers, w)
	}
	if len(m.watchers) > maxWatchers {
		return ErrTree
	}
	return nil
}

// watch has the watchers see the start of an element.
func (m *machine) watch(e *event.Event) error {
	for _, w := range m.watchers {
		if w.reached() || len(m.frames)-1 != w.depth+1+w.progress || !w.operand.path[w.progress].matches(e.Name) {
			continue
		}
		w.progress++
		if !w.reached() {
			continue
		}
		switch {
		case w.operand.end == attributes:
			for _, a := range e.Attrs {
				if w.operand.attribute.matches(a.Name) {
					if err := w.value(a.Value, m.strict1); err != nil {
						return err
					}
				}
			}
		case w.operand.end == elements && w.operand.ask == exists:
			if err := w.value("", m.strict1); err != nil {
				return err
			}
		case w.operand.end == elements:
			w.capturing = true
		}
	}
	return nil
}

// release drops the text of a watcher, which is a value if it is whole.
func (m *machine) release(w *watcher, whole bool) error {
	text := w.text
	m.captured -= len(text)
	w.text = text[:0]
	if !whole {
		return nil
	}
	return w.value(string(text), m.strict1)
}
