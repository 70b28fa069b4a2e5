package datatype

// builtins are the built-in types, by name.
var builtins = map[string]*Type{}

// Builtin returns the built-in type with a local name, or nil.
func Builtin(local string) *Type { return builtins[local] }

var derivations = [][2]string{
	{"anySimpleType", ""},
	{"string", "anySimpleType"}, {"boolean", "anySimpleType"}, {"decimal", "anySimpleType"}, {"float", "anySimpleType"}, {"double", "anySimpleType"}, {"duration", "anySimpleType"}, {"dateTime", "anySimpleType"}, {"time", "anySimpleType"}, {"date", "anySimpleType"}, {"gYearMonth", "anySimpleType"}, {"gYear", "anySimpleType"}, {"gMonthDay", "anySimpleType"}, {"gDay", "anySimpleType"}, {"gMonth", "anySimpleType"}, {"hexBinary", "anySimpleType"}, {"base64Binary", "anySimpleType"}, {"anyURI", "anySimpleType"}, {"QName", "anySimpleType"}, {"NOTATION", "anySimpleType"},
	{"normalizedString", "string"}, {"token", "normalizedString"}, {"language", "token"}, {"NMTOKEN", "token"}, {"Name", "token"}, {"NCName", "Name"}, {"ID", "NCName"}, {"IDREF", "NCName"}, {"ENTITY", "NCName"},
	{"NMTOKENS", "NMTOKEN"}, {"IDREFS", "IDREF"}, {"ENTITIES", "ENTITY"},
	{"integer", "decimal"}, {"nonPositiveInteger", "integer"}, {"negativeInteger", "nonPositiveInteger"}, {"long", "integer"}, {"int", "long"}, {"short", "int"}, {"byte", "short"}, {"nonNegativeInteger", "integer"}, {"unsignedLong", "nonNegativeInteger"}, {"unsignedInt", "unsignedLong"}, {"unsignedShort", "unsignedInt"}, {"unsignedByte", "unsignedShort"}, {"positiveInteger", "nonNegativeInteger"},
}

var _ = func() int {
	for _, d := range derivations {
		t := &Type{name: Name{Space: space, Local: d[0]}, base: builtins[d[1]], variety: Atomic}
		switch d[0] {
		case "anySimpleType":
			t.variety = Any
		case "NMTOKENS", "IDREFS", "ENTITIES":
			t.variety, t.item, t.base = List, t.base, builtins["anySimpleType"]
		}
		builtins[d[0]] = t
	}
	return 0
}()
