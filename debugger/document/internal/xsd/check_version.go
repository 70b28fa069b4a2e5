package xsd

import (
	"context"

	helium "github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd/internal/lexicon"
)

// elementsOf11 are the elements that XSD 1.1 added to the language.
var elementsOf11 = map[string]bool{
	elemAlternative: true, elemAssert: true, elemAssertion: true, elemDefaultOpenContent: true,
	elemExplicitTimezone: true, elemOpenContent: true, elemOverride: true,
}

// rejectElementsOf11 reports the elements of XSD 1.1 in a document that is read as
// XSD 1.0. Dropping them would accept instances that the author meant to reject, as
// with an assertion. Conditional inclusion has removed those for other versions. It
// does not descend into xs:annotation, whose content is no schema.
func (c *compiler) rejectElementsOf11(ctx context.Context, elem *helium.Element) {
	if c.version == Version11 || c.filename == "" {
		return
	}
	for child := range childrenOf(elem) {
		ce, ok := child.(*helium.Element)
		if !ok || isXSDElement(ce, elemAnnotation) {
			continue
		}
		if ce.URI() == lexicon.NamespaceXSD && elementsOf11[ce.LocalName()] {
			c.schemaError(ctx, schemaParserError(c.diagSource(), ce.Line(), ce.LocalName(), ce.LocalName(),
				"The element '"+ce.LocalName()+"' is one of XML Schema 1.1, and this schema is read as 1.0. Add vc:minVersion=\"1.1\" (xmlns:vc=\""+lexicon.NamespaceXSDVersioning+"\") to the schema element."))
			continue
		}
		c.rejectElementsOf11(ctx, ce)
	}
}
