package read

import (
	"strings"
	"sync"
)

// A form holds the attributes that an element of a schema document may have, with the kinds
// of their values, and its children.
type form struct {
	attributes string // name:kind, an exclamation mark after those that are required
	children   string // expression over the letters of children
}

// letters stand for elements in the expressions. Facets share one.
var letters = map[string]byte{
	"annotation": 'A', "include": 'I', "import": 'I', "redefine": 'I', "element": 'e', "attribute": 't', "complexType": 'C', "simpleType": 'S',
	"group": 'g', "attributeGroup": 'u', "all": 'a', "choice": 'c', "sequence": 's', "any": 'w', "anyAttribute": 'W', "simpleContent": '1',
	"complexContent": '2', "restriction": 'R', "extension": 'X', "list": 'L', "union": 'U', "unique": 'k', "key": 'k', "keyref": 'k',
	"selector": 'x', "field": 'f', "notation": 'N', "appinfo": 'i', "documentation": 'd',
	"minExclusive": 'F', "minInclusive": 'F', "maxExclusive": 'F', "maxInclusive": 'F', "totalDigits": 'F', "fractionDigits": 'F', "length": 'F',
	"minLength": 'F', "maxLength": 'F', "enumeration": 'F', "whiteSpace": 'F', "pattern": 'F',
}

// Attributes of groups of particles, and how often they occur.
const (
	occurs = "minOccurs:count maxOccurs:limit "
	attrs  = "(t|u)*W?"
	groups = "(g|a|c|s)?"
)

// forms is the schema for schemas, by the name of the element and where it stands: at
// the top of a schema (or in a redefine), or elsewhere. Names with a slash stand in the
// element before it.
var forms = map[string]form{
	"schema":          {"targetNamespace:uri version:token finalDefault:final blockDefault:block attributeFormDefault:form elementFormDefault:form", "(I|A)*((S|C|g|u|e|t|N)A*)*"},
	"include":         {"schemaLocation!:uri", "A?"},
	"import":          {"namespace:uri schemaLocation:uri", "A?"},
	"redefine":        {"schemaLocation!:uri", "(A|S|C|g|u)*"},
	"annotation":      {"", "(i|d)*"},
	"appinfo":         {"source:uri", ".*"},
	"documentation":   {"source:uri", ".*"},
	"notation":        {"name!:name public:token system:uri", "A?"},
	"top element":     {"name!:name type:qname substitutionGroup:qname default:string fixed:string nillable:boolean abstract:boolean final:derivations block:block", "A?(S|C)?k*"},
	"element":         {"name:name ref:qname type:qname " + occurs + "default:string fixed:string nillable:boolean block:block form:form", "A?(S|C)?k*"},
	"top attribute":   {"name!:name type:qname default:string fixed:string", "A?S?"},
	"attribute":       {"name:name ref:qname type:qname use:use default:string fixed:string form:form", "A?S?"},
	"top simpleType":  {"name!:name final:simplefinal", "A?(R|L|U)"},
	"simpleType":      {"", "A?(R|L|U)"},
	"top complexType": {"name!:name mixed:boolean abstract:boolean final:derivations block:derivations", "A?(1|2|" + groups + attrs + ")"},
	"complexType":     {"mixed:boolean", "A?(1|2|" + groups + attrs + ")"},
	"top group":       {"name!:name", "A?(a|c|s)"},
	"group":           {"ref!:qname " + occurs, "A?"},

	"top attributeGroup": {"name!:name", "A?" + attrs},
	"attributeGroup":     {"ref!:qname", "A?"},

	"all":          {"minOccurs:zeroone maxOccurs:one", "A?e*"},
	"choice":       {occurs, "A?(e|g|c|s|w)*"},
	"sequence":     {occurs, "A?(e|g|c|s|w)*"},
	"any":          {occurs + "namespace:namespaces processContents:process", "A?"},
	"anyAttribute": {"namespace:namespaces processContents:process", "A?"},

	"group/all":      {"", "A?e*"},
	"group/choice":   {"", "A?(e|g|c|s|w)*"},
	"group/sequence": {"", "A?(e|g|c|s|w)*"},
	"all/element":    {"name:name ref:qname type:qname minOccurs:zeroone maxOccurs:zeroone default:string fixed:string nillable:boolean block:block form:form", "A?(S|C)?k*"},

	"simpleContent":  {"", "A?(R|X)"},
	"complexContent": {"mixed:boolean", "A?(R|X)"},

	"simpleType/restriction":     {"base:qname", "A?S?F*"},
	"simpleContent/restriction":  {"base!:qname", "A?(S?F*)" + attrs},
	"complexContent/restriction": {"base!:qname", "A?" + groups + attrs},
	"simpleContent/extension":    {"base!:qname", "A?" + attrs},
	"complexContent/extension":   {"base!:qname", "A?" + groups + attrs},

	"list":  {"itemType:qname", "A?S?"},
	"union": {"memberTypes:qnames", "A?S*"},

	"unique":   {"name!:name", "A?xf+"},
	"key":      {"name!:name", "A?xf+"},
	"keyref":   {"name!:name refer!:qname", "A?xf+"},
	"selector": {"xpath!:string", "A?"},
	"field":    {"xpath!:string", "A?"},

	"enumeration": {"value!:string", "A?"}, "pattern": {"value!:string", "A?"}, "whiteSpace": {"value!:space fixed:boolean", "A?"},
	"length": {"value!:count fixed:boolean", "A?"}, "minLength": {"value!:count fixed:boolean", "A?"}, "maxLength": {"value!:count fixed:boolean", "A?"},
	"totalDigits": {"value!:positive fixed:boolean", "A?"}, "fractionDigits": {"value!:count fixed:boolean", "A?"},
	"minExclusive": {"value!:string fixed:boolean", "A?"}, "minInclusive": {"value!:string fixed:boolean", "A?"},
	"maxExclusive": {"value!:string fixed:boolean", "A?"}, "maxInclusive": {"value!:string fixed:boolean", "A?"},
}

// A field is an attribute of a form.
type field struct {
	kind     string
	required bool
}

// A shape is a form that was compiled.
type shape struct {
	fields   map[string]field
	order    []string // required ones
	children *order
}

var shapes = sync.OnceValue(func() map[string]*shape {
	all := map[string]*shape{}
	for name, f := range forms {
		s := &shape{fields: map[string]field{"id": {"id", false}}, children: newOrder(f.children)}
		for entry := range strings.FieldsSeq(f.attributes) {
			local, kind, _ := strings.Cut(entry, ":")
			local, required := strings.CutSuffix(local, "!")
			s.fields[local] = field{kind, required}
			if required {
				s.order = append(s.order, local)
			}
		}
		all[name] = s
	}
	return all
})

// shapeOf returns the shape of an element where it stands, or nil if it may not stand
// there.
func shapeOf(n *Node) *shape {
	all := shapes()
	local := n.Name.Local
	if n.Parent == nil {
		if local == "schema" {
			return all[local]
		}
		return nil
	}
	if s := all[n.Parent.Name.Local+"/"+local]; s != nil && (n.Parent.Name.Local != "group" || n.Parent.isTop()) {
		return s
	}
	if n.isTop() {
		if s := all["top "+local]; s != nil {
			return s
		}
	}
	return all[local]
}

// isTop reports whether n stands at the top of a schema document.
func (n *Node) isTop() bool {
	return n.Parent != nil && (n.Parent.Is("schema") || n.Parent.Is("redefine"))
}
