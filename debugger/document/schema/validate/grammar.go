package validate

import (
	"sync"

	"github.com/triptych-mcp/triptych/debugger/document/schema/automata"
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
)

// A Grammar is a schema with what was found out about its types. Goroutines may share it.
type Grammar struct {
	schema *component.Schema

	mu    sync.Mutex
	infos map[component.Type]*typeInfo
}

// NewGrammar returns the grammar of a schema without errors.
func NewGrammar(s *component.Schema) *Grammar {
	return &Grammar{schema: s, infos: map[component.Type]*typeInfo{}}
}

// A typeInfo holds the parts of a type that validation needs.
type typeInfo struct {
	complex  *component.Complex // nil for simple types
	content  component.Content
	simple   *component.Simple // of simple content
	model    *automata.Model   // of other content
	required []*component.AttributeUse
	valued   []*component.AttributeUse // with a default or fixed value
	pointing []*component.AttributeUse // those of valued that may be identifiers or references
}

// info returns what validation needs of a type. It keeps that if the type is one of the
// schema, and not of others that a document points to.
func (g *Grammar) info(t component.Type, keep bool) (*typeInfo, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if i := g.infos[t]; i != nil {
		return i, nil
	}
	i, err := newInfo(t)
	if err != nil {
		return nil, err
	}
	if keep {
		g.infos[t] = i
	}
	return i, nil
}

func newInfo(t component.Type) (*typeInfo, error) {
	c, ok := t.(*component.Complex)
	if !ok {
		return &typeInfo{content: component.SimpleContent, simple: t.(*component.Simple)}, nil
	}
	i := &typeInfo{complex: c, content: c.Content, simple: c.Simple}
	for _, use := range c.Attributes {
		if use.Required {
			i.required = append(i.required, use)
		}
		if use.Constraint() != nil {
			i.valued = append(i.valued, use)
			if data := use.Decl.Type.Data; data.HasID() || data.HasIDREF() {
				i.pointing = append(i.pointing, use)
			}
		}
	}
	if c.Content == component.SimpleContent {
		return i, nil
	}
	var err error
	if i.model, err = automata.New(c.Particle); err == nil {
		err = i.model.Index()
	}
	return i, err
}
