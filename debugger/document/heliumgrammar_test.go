package document

import (
	"errors"
	"testing"
)

// Static errors that the engine does not find, from the W3C's test suite QT3, and
// queries like them that are right (XPath 3.1, appendix A).
func TestGrammar(t *testing.T) {
	for _, tt := range []struct{ query, code string }{
		{"*:(:hey:)ncname", "XPST0003"},
		{"*(:hey:):ncname", "XPST0003"},
		{"* :ncname", "XPST0003"},
		{"name(:hey:):*", "XPST0003"},
		{"ncname:(:hey:)*", "XPST0003"},
		{"map{'a' : * : b}", ""}, // left to the engine
		{"map{'a' : (* :b)}", "XPST0003"},
		{"*:ncname", ""},
		{"3*a:b, a *:b", ""},
		{"a:*/b:c", ""},
		{"map{* : 3, a :b, 'x':4}?x", ""},
		{"map { (: c :) 'a':1 }", ""},
		{"ancestor ::x/child:: *", ""},
		{"let $a:=1 return $a", ""},
		{"'* :n', \"xmlns:a\", 'it''s * :n'", ""},
		{"(: * :n (: xmlns:a :) schema-element() :) 1", ""},
		{"@xmlns:*", "XPST0081"},
		{"xmlns:ncname", "XPST0081"},
		{"xmlns, @xmlns, xmlnsx:a, a:xmlns", ""},
		{"schema-element()", "XPST0003"},
		{"schema-attribute(*)", "XPST0003"},
		{"document-node(schema-element(thisTypeIsNotRecognizedExample.Com))", "XPST0008"},
		{"schema-element( Q{urn:x}a )", "XPST0008"},
		{"schema-attribute(p:a)", "XPST0008"},
		{"schema-attribute(notBound:ncname)", "XPST0081"},
		{"schema-element, x/schema-attribute, $schema-element(1), p:schema-element(1)", ""},
		{"Q{http://www.w3.org/2005/xpath-functions/math pi()", "XPST0003"},
		{"Q{urn:a:b}c, Q{ * :n}d", ""},
		{"1.5e-3 to 4, 1e5, .5", ""},
		{"'open", ""}, {"(: open", ""}, {"", ""}, {")]}:", "XPST0003"}, {"π:é, a·b", ""},
		{"p:😀", ""}, {"p:Ⅷ", ""}, {"Ⅷ:a", ""}, {"*:😀", ""}, {"a‿:b, e\u0301:c", ""},
		{"p:×", "XPST0003"}, {"p:÷", "XPST0003"}, {"p:\u037e", "XPST0003"}, {"p:·a", "XPST0003"}, // not in NameStartChar
		{"schema-element(😀)", "XPST0008"}, {"schema-element(nicht:Ⅷ)", "XPST0081"},
	} {
		got := ""
		err := checkGrammar(tt.query, map[string]string{"p": "urn:p"})
		if wrong, ok := errors.AsType[*QueryError](err); ok {
			got = wrong.Code
		}
		if got != tt.code {
			t.Errorf("%s: got %q, %v, want %q", tt.query, got, err, tt.code)
		}
	}
}
