package validate

import (
	"context"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/compile"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
	"github.com/triptych-mcp/triptych/debugger/document/schema/read"
)

// A loader reads one schema document, whatever is asked for.
type loader string

func (text loader) Load(ctx context.Context, _, _ string) (*read.Node, error) {
	return read.Document(ctx, "x.xsd", event.NewBytes([]byte(text), event.Limits{}))
}

// A grammar does not grow with the documents that point to other schemas.
func TestGrammarStaysSmall(t *testing.T) {
	const lax = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="r"/></xs:schema>`
	const further = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:x"><xs:element name="x"><xs:complexType/></xs:element></xs:schema>`
	root, err := loader(lax).Load(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	schema, problems, err := compile.Compile(t.Context(), root, loader(further))
	if err != nil || len(problems) > 0 {
		t.Fatal(problems, err)
	}
	g := NewGrammar(schema)
	for range 5 {
		const text = `<r xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x x.xsd"><x xmlns="urn:x">text</x></r>`
		r, err := g.Document(t.Context(), event.NewBytes([]byte(text), event.Limits{}), Options{Loader: loader(further)})
		if err != nil || len(r.Violations) != 1 {
			t.Fatal(r, err)
		}
	}
	if len(g.infos) > 1 {
		t.Errorf("the grammar keeps %d types, want that of the root at most", len(g.infos))
	}
}
