package datatype_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
)

// lexicalSpaces has texts that are values of the built-in types, and texts that are not,
// by the sections of part 2.
var lexicalSpaces = map[string]struct{ valid, invalid []string }{
	"anySimpleType":      {[]string{"", " a\n"}, nil},
	"string":             {[]string{"", " a\tb\n"}, nil},
	"normalizedString":   {[]string{"", " a\tb\n"}, nil},
	"token":              {[]string{"", " a  b "}, nil},
	"boolean":            {[]string{"true", "false", "0", "1", " true\n"}, []string{"", "TRUE", "2", "01", "yes"}},
	"decimal":            {[]string{"0", "-0", "+1.50", ".5", "5.", "-.0", "\t12 ", "00012345678901234567890.10"}, []string{"", ".", "+", "1e5", "1.2.3", "--1", "1,5", "INF", "0x1", "1 2", "١"}},
	"float":              {[]string{"0", "-0", "1E5", "1e-5", ".5E+2", "5.e1", "INF", "-INF", "NaN", "1e400"}, []string{"", "+INF", "inf", "nan", "1e", "e5", "1e1.5", "0x1p3", "1_0", "1e5 e", "Infinity"}},
	"double":             {[]string{"12.78e-2", "-1E4", "INF"}, []string{"1d", "E", "."}},
	"duration":           {[]string{"P1Y2M3DT10H30M", "-P120D", "P0Y", "PT0S", "PT1.5S", "P1347M", "P1Y2MT2H", "PT36H", "P0Y1347M0D"}, []string{"", "P", "-P", "PT", "P1YT", "P-1347M", "P1Y2MT", "+P1Y", "P1S", "P1M1Y", "PT1M1H", "P1.5Y", "PT1.S", "PT.5S", "P1YM", "1Y", "P1DT1D", "PT1.5M", "P1Y1Y", "P1Y T1H"}},
	"dateTime":           {[]string{"2002-10-10T12:00:00-05:00", "1999-05-31T13:20:00.000", "-0001-12-31T00:00:00Z", "12000-01-01T24:00:00", "2000-02-29T00:00:00+14:00", "2000-01-01T24:00:00.0"}, []string{"", "2002-10-10", "0000-01-01T00:00:00", "02000-01-01T00:00:00", "2001-02-29T00:00:00", "1900-02-29T00:00:00", "2000-13-01T00:00:00", "2000-00-01T00:00:00", "2000-01-32T00:00:00", "2000-01-01T25:00:00", "2000-01-01T24:00:01", "2000-01-01T00:60:00", "2000-01-01T00:00:60", "2000-01-01T00:00:00.", "2000-01-01T00:00:00+14:01", "2000-01-01T00:00:00+15:00", "2000-01-01T00:00:00z", "2000-01-01t00:00:00", "+2000-01-01T00:00:00", "200-01-01T00:00:00", "2000-1-1T00:00:00", "2000-01-01 00:00:00", "2000-01-01T00:00"}},
	"time":               {[]string{"13:20:00-05:00", "00:00:00", "24:00:00", "23:59:59.999Z"}, []string{"", "1:20:00", "13:20", "13:20:00+5", "24:00:00.1", "-13:20:00"}},
	"date":               {[]string{"2002-10-10", "2002-10-10+13:00", "2000-02-29", "-0400-01-01Z"}, []string{"2002-10-1", "2002-02-30", "2002-10-10T", "02-10-10", "2002/10/10", "2002-04-31"}},
	"gYearMonth":         {[]string{"1999-05", "1999-05Z", "-0044-03"}, []string{"1999-13", "99-05", "1999-5", "1999-05-01"}},
	"gYear":              {[]string{"1999", "-1999+01:00", "12345"}, []string{"99", "0000", "01999", "1999-", "+1999"}},
	"gMonthDay":          {[]string{"--05-31", "--02-29", "--12-25Z"}, []string{"--02-30", "--04-31", "-05-31", "05-31", "--5-31"}},
	"gDay":               {[]string{"---31", "---01-03:00"}, []string{"---32", "---00", "--31", "---1"}},
	"gMonth":             {[]string{"--05", "--12Z"}, []string{"--13", "--00", "-05", "--5", "05", "--05-", "--05-- " + "-", "--05----"}},
	"hexBinary":          {[]string{"", "0FB7", "0fb7", " 00 "}, []string{"0", "0g", "0 0", "0x00"}},
	"base64Binary":       {[]string{"", "AAAA", "AA==", "AAA=", "A A A A", "AA = =", "+/az"}, []string{"A", "AA", "AAA", "AB==", "AAB=", "A===", "====", "AA=A", "AAAA=", "AA==AAAA", "A-_A", "AAAA AA"}},
	"anyURI":             {[]string{"", "http://www.w3.org/", "a b", "#x", "é", "http://example.org/a%20b", "1a/b:c", "urn:x", `c:\x`, "a#b"}, []string{"%", "a%2", "%zz", ":a", "1:a", "a_b:c", "a#b#c"}},
	"QName":              {[]string{"a", "p:a", " p:a "}, []string{"", ":a", "p:", "a:b:c", "q:a", "1", "p:1", "a b", "xmlns:p"}},
	"NOTATION":           {[]string{"p:gif"}, []string{"gif", "p:png", "1"}},
	"language":           {[]string{"en", "de-AT", "x-klingon", "abcdefgh-12345678-a1", " en "}, []string{"", "abcdefghi", "de-", "-de", "d1", "de_AT", "en-123456789"}},
	"NMTOKEN":            {[]string{"-a.1", "1", ":", "é"}, []string{"", "a b", "a,b", "$"}},
	"NMTOKENS":           {[]string{"a", " a\t b \n"}, []string{"", " ", "a ,"}},
	"Name":               {[]string{"a", ":a", "_-.1", "é:b"}, []string{"", "1", "-a", ".a", "a b"}},
	"NCName":             {[]string{"a", "_b1"}, []string{"", "a:b", "1a", "-"}},
	"ID":                 {[]string{"a"}, []string{"a:b", "a b", ""}},
	"IDREF":              {[]string{"a"}, []string{"a:b", "a b", ""}},
	"IDREFS":             {[]string{"a", "a b"}, []string{"", "a 1"}},
	"ENTITY":             {[]string{"image"}, []string{"other", "1"}},
	"ENTITIES":           {[]string{"image image"}, []string{"", "image other"}},
	"integer":            {[]string{"0", "-0", "+0001", "-123456789012345678901234567890"}, []string{"", "1.0", "1.", "1e2", "+", "-"}},
	"nonPositiveInteger": {[]string{"0", "-1", "+0", "-0"}, []string{"1", "+1"}},
	"negativeInteger":    {[]string{"-1", "-99999999999999999999"}, []string{"0", "-0", "1"}},
	"long":               {[]string{"9223372036854775807", "-9223372036854775808", "+0"}, []string{"9223372036854775808", "-9223372036854775809"}},
	"int":                {[]string{"2147483647", "-2147483648", "0000000000000000001"}, []string{"2147483648", "-2147483649"}},
	"short":              {[]string{"32767", "-32768"}, []string{"32768", "-32769"}},
	"byte":               {[]string{"127", "-128", "+100"}, []string{"128", "-129", "1.5"}},
	"nonNegativeInteger": {[]string{"0", "-0", "+1", "99999999999999999999"}, []string{"-1", ""}},
	"unsignedLong":       {[]string{"18446744073709551615", "-0"}, []string{"18446744073709551616", "-1"}},
	"unsignedInt":        {[]string{"4294967295"}, []string{"4294967296", "-1"}},
	"unsignedShort":      {[]string{"65535"}, []string{"65536"}},
	"unsignedByte":       {[]string{"255", "+5"}, []string{"256", "-1"}},
	"positiveInteger":    {[]string{"1", "+1", "0001"}, []string{"0", "-1"}},
}

// testContext knows the prefix p, the entity image and the notation p:gif.
type testContext struct{}

func (testContext) Lookup(prefix string) (string, bool) {
	return map[string]string{"p": "urn:p"}[prefix], prefix == "p" || prefix == ""
}
func (testContext) UnparsedEntity(name string) bool { return name == "image" }
func (testContext) Notation(name datatype.Name) bool {
	return name == datatype.Name{Space: "urn:p", Local: "gif"}
}

func TestLexicalSpaces(t *testing.T) {
	for name, texts := range lexicalSpaces {
		kind := datatype.Builtin(name)
		if kind == nil {
			t.Errorf("there is no type %s", name)
			continue
		}
		for _, text := range texts.valid {
			if err := kind.Valid(text, testContext{}); err != nil {
				t.Errorf("%s: %q: %v", name, text, err)
			}
		}
		for _, text := range texts.invalid {
			if kind.Valid(text, testContext{}) == nil {
				t.Errorf("%s: %q is valid", name, text)
			}
		}
	}
	if got, want := len(lexicalSpaces), 45; got != want { // part 2 has 44 types, and anySimpleType
		t.Errorf("%d types, want %d", got, want)
	}
}

// TestEqual has texts of a type; those of one row represent the same value, which differs
// from those of other rows.
func TestEqual(t *testing.T) {
	for name, rows := range map[string][][]string{
		"string":       {{"a"}, {" a"}, {""}},
		"token":        {{"a b", " a  b"}, {"ab"}},
		"boolean":      {{"true", "1"}, {"false", "0"}},
		"decimal":      {{"1", "+01.00", "1."}, {"0", "-0", "+.0"}, {"-1"}, {"0.1", ".10"}, {"10"}},
		"float":        {{"1", "1.0E0", "10e-1"}, {"0", "-0"}, {"NaN"}, {"INF", "1e400"}, {"-INF"}, {"0.1", "0.10000000000000000001"}},
		"double":       {{"1e3", "1000"}, {"16777217"}, {"16777216"}},
		"duration":     {{"P1Y", "P12M"}, {"P1D", "PT24H", "PT86400S"}, {"P30D"}, {"P1M"}, {"P0D", "-PT0S", "P0Y"}, {"-PT0.5S", "-PT0.50S"}, {"PT0.5S"}, {"P400Y"}, {"P146097D"}},
		"dateTime":     {{"2000-01-01T00:00:00Z", "1999-12-31T24:00:00Z", "2000-01-01T01:00:00+01:00"}, {"2000-01-01T00:00:00"}, {"2000-01-01T00:00:00.5Z", "2000-01-01T00:00:00.50Z"}},
		"date":         {{"2000-01-01+12:00", "1999-12-31-12:00"}, {"2000-01-01"}, {"2000-01-01Z"}},
		"time":         {{"00:00:00", "24:00:00"}, {"12:00:00Z", "13:00:00+01:00"}},
		"gYear":        {{"2000"}, {"2000Z", "2000+00:00"}, {"-2000"}},
		"gMonthDay":    {{"--02-29"}, {"--02-28"}},
		"hexBinary":    {{"0fb7", "0FB7"}, {""}},
		"base64Binary": {{"AAAA", "A A A A"}, {"AAAB"}},
		"anyURI":       {{"a"}, {"A"}},
		"QName":        {{"p:a", " p:a "}, {"a"}},
		"NMTOKENS":     {{"a b", " a\tb"}, {"ab"}, {"b a"}},
	} {
		kind := datatype.Builtin(name)
		seen := map[string]string{}
		for _, row := range rows {
			first := value(t, kind, row[0])
			for _, text := range row[1:] {
				if v := value(t, kind, text); !v.Equal(first) {
					t.Errorf("%s: %q and %q differ: %q, %q", name, row[0], text, first.Key(), v.Key())
				}
			}
			if other, same := seen[first.Key()]; same {
				t.Errorf("%s: %q and %q are equal", name, row[0], other)
			}
			seen[first.Key()] = row[0]
		}
	}
}

func value(t *testing.T, kind *datatype.Type, text string) datatype.Value {
	t.Helper()
	v, err := kind.Validate(text, testContext{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestDifferentTypes compares values of types that have no values in common, and of types
// that do since they are derived from one.
func TestDifferentTypes(t *testing.T) {
	of := func(name string) datatype.Value { return value(t, datatype.Builtin(name), "1") }
	if of("int").Equal(of("string")) || of("float").Equal(of("double")) || of("decimal").Equal(of("float")) || of("boolean").Equal(of("string")) {
		t.Error("values of different primitive types are equal")
	}
	if !of("int").Equal(of("unsignedByte")) || !of("string").Equal(of("token")) {
		t.Error("values of one primitive type differ")
	}
	a, b := value(t, datatype.Builtin("NMTOKENS"), "a"), value(t, datatype.Builtin("NMTOKEN"), "a")
	if a.Equal(b) {
		t.Error("a list equals its item")
	}
}

func TestIDs(t *testing.T) {
	var got []string
	visit := func(id string, ref bool) {
		if ref {
			id = "ref " + id
		}
		got = append(got, id)
	}
	value(t, datatype.Builtin("ID"), " a ").IDs(visit)
	value(t, datatype.Builtin("IDREFS"), "b c").IDs(visit)
	value(t, datatype.Builtin("NCName"), "d").IDs(visit)
	if want := "a,ref b,ref c"; strings.Join(got, ",") != want {
		t.Errorf("%v, want %s", got, want)
	}
	for name, want := range map[string][2]bool{"ID": {true, false}, "IDREFS": {false, true}, "NCName": {}} {
		if kind := datatype.Builtin(name); kind.HasID() != want[0] || kind.HasIDREF() != want[1] {
			t.Errorf("%s: HasID %v, HasIDREF %v", name, kind.HasID(), kind.HasIDREF())
		}
	}
}

// TestDerivation checks the bases of the built-in types (part 2, section 3).
func TestDerivation(t *testing.T) {
	for name, want := range map[string]string{
		"byte": "short int long integer decimal anySimpleType", "ID": "NCName Name token normalizedString string anySimpleType",
		"positiveInteger": "nonNegativeInteger integer decimal anySimpleType", "NMTOKENS": "anySimpleType", "gDay": "anySimpleType",
		"unsignedByte": "unsignedShort unsignedInt unsignedLong nonNegativeInteger integer decimal anySimpleType",
	} {
		var bases []string
		for b := datatype.Builtin(name).Base(); b != nil; b = b.Base() {
			bases = append(bases, b.Name().Local)
		}
		if got := strings.Join(bases, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
