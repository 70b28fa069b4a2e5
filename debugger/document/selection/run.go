package selection

import (
	"context"
	"errors"
	"io"
	"net/url"

	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// Options say which results are asked for.
type Options struct {
	Namespaces map[string]string // prefixes to URIs, besides those of the root element
	Offset     int               // results before the first one
	Count      int               // how many
	Room       int               // bytes of values that are asked for
	// Check is called with all prefixes before the root element is read. Run returns
	// ErrTree if it fails.
	Check func(prefixes map[string]string) error
}

// Found is the answer to a query.
type Found struct {
	Total   int       // number of all nodes that are selected
	Results []*Result // of the shape Nodes only
}

// Run reads a document to its end. Its parser must report comments and processing
// instructions.
func (q *Query) Run(ctx context.Context, p *event.Parser, options Options) (*Found, error) {
	m := &machine{query: q, parser: p, options: options, frames: make([]frame, 1, 16)}
	m.results = results{offset: options.Offset, limit: options.Count, room: options.Room}
	if q.Shape != Nodes {
		m.results.limit = 0
	}
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := p.Next()
		if errors.Is(err, io.EOF) {
			return &Found{m.results.total, m.results.list}, nil
		}
		if err == nil {
			err = m.event(e)
		}
		if err != nil {
			return nil, err
		}
	}
}

// Limits of what is kept, in bytes and in names of the children of one element.
const (
	maxText  = 8 << 20
	maxNames = 1 << 20
	fewNames = 64
)

// A machine answers a query.
type machine struct {
	query    *Query
	parser   *event.Parser
	options  Options
	steps    []boundStep
	counts   int     // positions that are counted of the children of an element
	frames   []frame // of the document and the open elements
	watchers []*watcher
	captured int // bytes in watchers
	results  results

	inText   bool // a text node is being read
	selected support
	text     []byte // of the text node, if it is selected
	textHere bool   // the text is wanted

	wrap    string // of wrapNS
	wrapNS  []event.NS
	strict1 bool
}

// A frame is an open element.
type frame struct {
	matches  []support // by step: the element is selected by it
	around   []support // by step: it or an element around it is
	own      []*match  // that are decided at its end
	counts   []int     // positions among its children
	watchers int       // before it

	name         event.Name
	position     int // among the siblings with the name
	children     map[event.Name]int
	texts        int
	line, column int
	result       *Result // whose end is the end of the element
}

func (m *machine) event(e *event.Event) error {
	if e.Kind == event.Text {
		return m.addText(e.Text)
	}
	if m.inText {
		if err := m.endText(); err != nil {
			return err
		}
	}
	switch e.Kind {
	case event.Start:
		return m.start(e)
	case event.End:
		return m.end()
	case event.Text, event.Other:
	}
	return nil
}

// top returns the innermost element, and parent the one around it.
func (m *machine) top() *frame    { return &m.frames[len(m.frames)-1] }
func (m *machine) parent() *frame { return &m.frames[len(m.frames)-2] }

// bind prepares the query for the document when its root element starts.
func (m *machine) bind() error {
	if !m.parser.Simple() {
		return ErrTree
	}
	prefixes := namespaces(m.parser.Declared(), m.options.Namespaces)
	if m.options.Check != nil && m.options.Check(prefixes) != nil {
		return ErrTree
	}
	m.strict1 = m.query.xpath1
	var err error
	m.steps, m.counts, err = m.query.bindSteps(prefixes)
	m.frames[0].prepare(len(m.steps), m.counts)
	return err
}

// prepare empties a frame that may have been used before.
func (f *frame) prepare(steps, counts int) {
	if f.matches == nil {
		f.matches, f.around, f.counts = make([]support, steps), make([]support, steps), make([]int, counts)
	}
	clear(f.matches)
	clear(f.around)
	clear(f.counts)
	if len(f.children) > fewNames {
		f.children = nil // clear takes as long as the map was ever large
	}
	clear(f.children)
	f.own, f.texts, f.result = f.own[:0], 0, nil
}

// push makes the frame of an element.
func (m *machine) push(e *event.Event) *frame {
	if n := len(m.frames); n < cap(m.frames) {
		m.frames = m.frames[:n+1]
	} else {
		m.frames = append(m.frames, frame{})
	}
	f := m.top()
	f.prepare(len(m.steps), m.counts)
	f.name, f.line, f.column, f.watchers = e.Name, e.Line, e.Column, len(m.watchers)
	return f
}

// start reads a start tag.
func (m *machine) start(e *event.Event) error {
	if len(m.frames) == 1 && m.steps == nil {
		if err := m.bind(); err != nil {
			return err
		}
	}
	if !validURIs(m.parser.Declared()) {
		return ErrTree
	}
	f := m.push(e)
	if m.query.Shape == Nodes {
		if err := m.number(f); err != nil {
			return err
		}
	}
	if err := m.watch(e); err != nil {
		return err
	}
	for i := range m.steps {
		if i+1 == len(m.steps) && m.query.leaf != elements {
			break
		}
		s, err := m.step(i, e)
		if err != nil {
			return err
		}
		f.matches[i] = s
		f.around[i] = m.parent().around[i].or(s)
	}
	switch m.query.leaf {
	case elements:
		return m.selectElement(e)
	case attributes:
		return m.selectAttributes(e)
	case texts:
	}
	return nil
}

// validURIs reports whether the names of namespaces are URIs. The parser of trees rejects
// others.
func validURIs(declared []event.NS) bool {
	for _, ns := range declared {
		if _, err := url.Parse(ns.URI); err != nil {
			return false
		}
	}
	return true
}

// number counts an element among its siblings.
func (m *machine) number(f *frame) error {
	parent := m.parent()
	if parent.children == nil {
		parent.children = map[event.Name]int{}
	}
	parent.children[f.name]++
	f.position = parent.children[f.name]
	if len(parent.children) > maxNames {
		return ErrTree
	}
	return nil
}

// before returns what selects an element for the step before i: its parent, or for
// descendants an element around it, which for a leaf may be itself.
func (m *machine) before(i int, parent *frame) support {
	switch {
	case i == 0:
		return support{ok: m.steps[0].descendant || parent == &m.frames[0]}
	case m.steps[i].descendant:
		return parent.around[i-1]
	}
	return parent.matches[i-1]
}

// step returns what selects an element by the step i.
func (m *machine) step(i int, e *event.Event) (support, error) {
	step := &m.steps[i]
	s := m.before(i, m.parent())
	if !s.ok || !step.test.matches(e.Name) {
		return support{}, nil
	}
	if s.many {
		return s, ErrTree
	}
	if len(step.predicates) == 0 {
		return s, nil
	}
	return m.predicates(step, s, e)
}

// end reads the end of an element.
func (m *machine) end() error {
	f := m.top()
	for _, w := range m.watchers {
		if w.progress == 0 && len(w.operand.path) > 0 || len(m.frames)-1 != w.depth+w.progress {
			continue
		}
		if err := m.release(w, w.capturing); err != nil {
			return err
		}
		w.capturing = false
		w.progress--
	}
	clear(m.watchers[f.watchers:])
	m.watchers = m.watchers[:f.watchers]
	if f.result != nil {
		f.result.To = m.parser.Offset()
	}
	if len(f.own) > 0 {
		for _, made := range f.own {
			made.decide()
		}
		m.results.settle()
	}
	m.frames = m.frames[:len(m.frames)-1]
	return nil
}
