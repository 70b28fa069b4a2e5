package compile

import (
	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/event"
)

// xmlTypes returns the types of the attributes of the namespace of the prefix xml (XML 1.0,
// sections 2.10 and 2.12; XML Base; xml:id).
func xmlTypes() map[string]*datatype.Type {
	text := datatype.Builtin("string")
	empty, _ := datatype.NewRestriction(Name{}, text, []datatype.Facet{{Name: "length", Value: "0"}})
	language, _ := datatype.NewUnion(Name{}, []*datatype.Type{datatype.Builtin("language"), empty})
	space, _ := datatype.NewRestriction(Name{}, datatype.Builtin("NCName"), []datatype.Facet{
		{Name: "enumeration", Value: "default"}, {Name: "enumeration", Value: "preserve"},
	})
	return map[string]*datatype.Type{"lang": language, "space": space, "base": datatype.Builtin("anyURI"), "id": datatype.Builtin("ID")}
}

// declareXML declares these attributes, which are known without a document.
func (c *compiler) declareXML() {
	for local, data := range xmlTypes() {
		if name := (Name{Space: event.XMLSpace, Local: local}); c.schema.Attribute(name) == nil {
			c.schema.Attributes[name] = &component.Attribute{Name: name, Type: &component.Simple{Base: component.AnySimpleType, Data: data}}
		}
	}
}
