// Package datatype validates values against the simple types of XML Schema 1.0
// (part 2: datatypes): the built-in types, and types that are derived from them by
// restriction, list and union.
//
//	age, problems := datatype.NewRestriction(datatype.Name{Local: "age"}, datatype.Builtin("integer"),
//		[]datatype.Facet{{Name: "minInclusive", Value: "0"}})
//	err := age.Valid("-1", nil)
//
// Numbers are exact: decimals are compared digit by digit, whatever their length. The
// time to validate a value grows in proportion to its length.
//
// A Type is not modified after it was made. Goroutines may share it.
package datatype
