package document_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// FuzzQuery asks whatever comes of whatever comes. Nothing may panic in the
// engine, and whatever path an answer has must lead back to the node.
func FuzzQuery(f *testing.F) {
	f.Add("<a><b x='1'>t</b></a>", "//b/@x", true)
	f.Add("<a xmlns='u'>t<!--c--></a>", "//node()[last()]", false)
	f.Add("<a/>", "for $x in 1 to 3 return [$x, map{$x: /a}]", false)
	f.Add("<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "string(/) => upper-case()", false)
	lib := open(f, document.Config{MaxTime: 5 * time.Second, QueryMemory: 1 << 28})
	f.Fuzz(func(t *testing.T, text, query string, strict bool) {
		req := document.QueryRequest{Document: xmlish(text), Query: query, MaxResults: 3}
		if strict {
			req.Version = document.XPath10
		}
		got, err := lib.Query(t.Context(), req)
		if _, ok := errors.AsType[*document.EngineError](err); ok {
			t.Fatal(err)
		}
		for _, item := range got.Items {
			if item.Path == "" {
				continue
			}
			back, err := lib.Query(t.Context(), document.QueryRequest{Document: req.Document, Query: item.Path})
			if err != nil || back.Total != 1 || back.Items[0] != item {
				t.Errorf("%s leads to %+v %v, want %+v", item.Path, back.Items, err, item)
			}
		}
	})
}

// FuzzValidate compiles and applies whatever comes.
func FuzzValidate(f *testing.F) {
	f.Add(shelf, noteSchema)
	f.Add("<a>1</a>", schemaOf(`<xs:element name="a" type="xs:int"/>`))
	f.Add("<a/>", schemaOf(`<xs:include schemaLocation="x.xsd"/><xs:element name="a" default="1"/>`))
	f.Add(shelfOf(faults), shelfSchema)
	f.Add("<r><z/><a k='1'><b i='x'/></a><to k='2' i='x'/></r>", linkSchema)
	lib := open(f, document.Config{MaxTime: 5 * time.Second})
	f.Fuzz(func(t *testing.T, text, schema string) {
		_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: xmlish(text), Schema: xmlish(schema)})
		if _, ok := errors.AsType[*document.EngineError](err); ok {
			t.Fatal(err)
		}
	})
}

// xmlish makes an argument that counts as XML, and not as a path.
func xmlish(text string) string { return "<" + strings.TrimPrefix(text, "<") }
