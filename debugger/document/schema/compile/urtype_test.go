package compile_test

import "testing"

// TestOwnUrType has the schema for schemas declare the ur-type with a wildcard that is
// strict, as its version of 2001 does. Restrictions of the ur-type may be less strict all
// the same (part 1, section 3.4.6, Derivation Valid (Restriction, Complex), clause 4.3).
func TestOwnUrType(t *testing.T) {
	if _, problems := compiledText(t, `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="http://www.w3.org/2001/XMLSchema">
<xs:complexType name="anyType" mixed="true"><xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded"/></xs:sequence><xs:anyAttribute/></xs:complexType>
<xs:complexType name="open"><xs:complexContent><xs:restriction base="xs:anyType"><xs:sequence><xs:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/></xs:sequence><xs:anyAttribute namespace="##other" processContents="lax"/></xs:restriction></xs:complexContent></xs:complexType>
</xs:schema>`); problems != "" {
		t.Error(problems)
	}
}
