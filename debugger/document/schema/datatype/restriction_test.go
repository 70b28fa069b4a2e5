package datatype_test

import (
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
)

// restrict restricts a type by facets in the form "name=value name=value|…", one step
// after each bar. A facet whose name ends with an exclamation mark is fixed.
func restrict(base *datatype.Type, steps string) (*datatype.Type, []datatype.Problem) {
	var all []datatype.Problem
	for step := range strings.SplitSeq(steps, "|") {
		var facets []datatype.Facet
		for facet := range strings.SplitSeq(step, ";") {
			name, value, _ := strings.Cut(facet, "=")
			name, fixed := strings.CutSuffix(name, "!")
			facets = append(facets, datatype.Facet{Name: name, Value: value, Fixed: fixed, Scope: testContext{}})
		}
		var problems []datatype.Problem
		base, problems = datatype.NewRestriction(datatype.Name{}, base, facets)
		all = append(all, problems...)
	}
	return base, all
}

// facetCases has types with values that they have and do not have (part 2, section 4.3).
var facetCases = []struct {
	base, facets string
	yes, no      []string
}{
	{"string", "length=2", []string{"ab", "éé", "😀😀"}, []string{"a", "abc"}},
	{"string", "minLength=1;maxLength=2", []string{"a", "ab"}, []string{"", "abc"}},
	{"token", "maxLength=3", []string{" a  b "}, []string{"a b c"}},
	{"string", "whiteSpace=collapse;length=3", []string{"a\n\nb"}, []string{"a\n\nbc"}},
	{"hexBinary", "length=2", []string{"0fb7"}, []string{"0f"}},
	{"base64Binary", "length=2", []string{"AAA=", "A A A ="}, []string{"AA==", "AAAA"}},
	{"anyURI", "maxLength=3", []string{"abc"}, []string{"abcd"}},
	{"QName", "length=1", []string{"p:abc"}, nil}, // the length of names is undefined
	{"NMTOKENS", "length=2", []string{"a b", " a\nb"}, []string{"a", "a b c"}},
	{"NMTOKENS", "maxLength=2", []string{"a"}, []string{"", "a b c"}},
	{"NMTOKENS", "pattern=a b;pattern=c", []string{" a  b", "c"}, []string{"a", "b a"}},
	{"NMTOKENS", "enumeration=a  b;enumeration=c", []string{"a b", "\na\tb"}, []string{"a", "b"}},
	{"string", "pattern=a;pattern=b", []string{"a", "b"}, []string{"c", "ab"}},
	{"string", "pattern=[ab];pattern=c|pattern=[bc]", []string{"b", "c"}, []string{"a"}},
	{"int", `pattern=\d`, []string{"1", " 2 "}, []string{"11", "+1"}},
	{"decimal", "enumeration=1.0;enumeration=2", []string{"1", "+01.00", "2"}, []string{"1.1", "3"}},
	{"string", "enumeration=1.0", []string{"1.0"}, []string{"1", " 1.0"}},
	{"token", "enumeration= a  b ", []string{"a b", " a b"}, []string{"ab"}},
	{"date", "enumeration=2000-01-01+12:00", []string{"1999-12-31-12:00"}, []string{"2000-01-01"}},
	{"float", "enumeration=NaN;enumeration=1", []string{"NaN", "1.0"}, []string{"2"}},
	{"QName", "enumeration=p:a", []string{"p:a"}, []string{"a"}},
	{"NOTATION", "enumeration=p:gif", []string{"p:gif"}, []string{"p:png"}},
	{"hexBinary", "enumeration=0FB7", []string{"0fb7"}, []string{"0fb8"}},
	{"decimal", "totalDigits=3;fractionDigits=1", []string{"12.3", "123", "0012.30", "0.0", "-99.9"}, []string{"1234", "1.23", "12.34", "0.01"}},
	{"decimal", "totalDigits=2", []string{"0.01", "10", ".12"}, []string{"0.001", "100", "1.01"}},
	{"integer", "totalDigits=2", []string{"-99", "099"}, []string{"100"}},
	{"decimal", "minInclusive=-1.5;maxExclusive=10", []string{"-1.5", "-1.49", "9.999", "0"}, []string{"-1.51", "10", "10.0", "-2", "99999999999999999999"}},
	{"decimal", "minExclusive=0;maxInclusive=0.5", []string{"0.0001", ".50"}, []string{"0", "-0", "0.500001", "-1"}},
	{"float", "minInclusive=1", []string{"1", "INF"}, []string{"0.999", "NaN", "-INF"}},
	{"double", "maxExclusive=INF", []string{"1e308"}, []string{"INF", "NaN"}},
	{"float", "minInclusive=NaN", []string{"NaN"}, []string{"1", "INF"}},
	{"duration", "minInclusive=P1Y;maxExclusive=P2Y", []string{"P12M", "P367D", "P13M", "P1Y11M", "P400D"}, []string{"P365D", "P366D", "P24M", "P11M", "P731D", "-P1Y"}},
	{"duration", "maxInclusive=P1M", []string{"P27D", "P1M", "-P99Y"}, []string{"P28D", "P31D", "P32D", "PT2678401S"}},
	{"duration", "minInclusive=-PT1.5S", []string{"-PT1.5S", "-PT1.4S", "PT0S"}, []string{"-PT1.6S", "-PT1.51S", "-PT2S"}},
	{"dateTime", "minInclusive=2000-01-01T00:00:00Z", []string{"2000-01-01T00:00:00Z", "1999-12-31T23:00:00-01:00", "2000-01-01T14:00:00.1", "99999999999999999999-01-01T00:00:00"}, []string{"1999-12-31T24:00:00+00:01", "2000-01-01T14:00:00", "1999-12-31T23:59:59.999Z", "-2000-01-01T00:00:00Z"}},
	{"dateTime", "maxExclusive=2000-01-01T00:00:00", []string{"1999-12-31T23:59:59.9", "1999-12-31T09:59:59Z"}, []string{"2000-01-01T00:00:00", "1999-12-31T10:00:00Z"}},
	{"date", "minInclusive=2000-02-29;maxInclusive=2000-03-01", []string{"2000-02-29", "2000-03-01"}, []string{"2000-02-28", "2000-03-02", "2000-03-01Z"}},
	{"time", "minInclusive=08:00:00;maxInclusive=17:00:00", []string{"08:00:00", "12:30:00.5"}, []string{"07:59:59", "17:00:00.1"}},
	{"gYear", "minInclusive=-0044;maxExclusive=2000", []string{"-0044", "-0001", "1999"}, []string{"-0045", "2000", "12000"}},
	{"gYearMonth", "minExclusive=1999-12", []string{"2000-01"}, []string{"1999-12"}},
	{"gMonthDay", "minInclusive=--02-29", []string{"--02-29", "--03-01"}, []string{"--02-28"}},
	{"gDay", "maxInclusive=---15", []string{"---15"}, []string{"---16"}},
	{"gMonth", "maxInclusive=--06", []string{"--06"}, []string{"--07"}},
	{"boolean", "pattern=t.*", []string{"true"}, []string{"1"}},
	{"byte", "minInclusive=5", []string{"5", "127"}, []string{"4", "128"}},
	{"string", "length=5|maxLength=5", []string{"abcde"}, []string{"abcd"}},
	{"decimal", "minInclusive=1|minExclusive=1", []string{"1.1"}, []string{"1"}},
}

func TestFacets(t *testing.T) {
	for _, test := range facetCases {
		kind, problems := restrict(datatype.Builtin(test.base), test.facets)
		if len(problems) > 0 {
			t.Errorf("%s %s: %v", test.base, test.facets, problems)
			continue
		}
		for _, text := range test.yes {
			if err := kind.Valid(text, testContext{}); err != nil {
				t.Errorf("%s %s: %v", test.base, test.facets, err)
			}
		}
		for _, text := range test.no {
			if kind.Valid(text, testContext{}) == nil {
				t.Errorf("%s %s: %q is valid", test.base, test.facets, text)
			}
		}
	}
}

// TestProblems has restrictions that are not allowed, each with a part of the message and
// the index of the facet in the last step (part 2, sections 4.1.5 and 4.3).
func TestProblems(t *testing.T) {
	for _, test := range []struct {
		base, facets string
		facet        int
		want         string
	}{
		{"anySimpleType", "length=1", 0, "not applicable"},
		{"int", "length=1", 0, "not applicable"},
		{"string", "maxLength=1;minInclusive=a", 1, "not applicable"},
		{"string", "totalDigits=1", 0, "not applicable"},
		{"boolean", "enumeration=true", 0, "not applicable"},
		{"NMTOKENS", "minInclusive=1", 0, "not applicable"},
		{"float", "fractionDigits=1", 0, "not applicable"},
		{"string", "length=1;length=1", 1, "twice"},
		{"string", "length=-1", 0, "can have"},
		{"string", "length=1.0", 0, "can have"},
		{"string", "length=", 0, "can have"},
		{"decimal", "totalDigits=0", 0, "can have"},
		{"string", "minLength=2;maxLength=1", 1, "greater"},
		{"string", "length=2;minLength=1", 1, "exclude"},
		{"string", "maxLength=3;length=2", 1, "exclude"},
		{"string", "minLength=3|length=2", 0, "exclude"},
		{"string", "length=2|length=3", 0, "the base type has 2"},
		{"string", "minLength=2|minLength=1", 0, "the base type has 2"},
		{"string", "maxLength=2|maxLength=3", 0, "the base type has 2"},
		{"string", "maxLength=2|minLength=3", 0, "greater"},
		{"string", "maxLength!=2|maxLength=1", 0, "the base type has 2"},
		{"decimal", "totalDigits=2|totalDigits=3", 0, "the base type has 2"},
		{"decimal", "totalDigits=2;fractionDigits=3", 1, "more than the totalDigits"},
		{"integer", "fractionDigits=1", 0, "the base type has 0"},
		{"string", `pattern=\$`, 0, `\$ is not an escape`},
		{"string", "pattern=(", 0, "no end"},
		{"int", "enumeration=1;enumeration=x", 1, "not of the type xs:int"},
		{"QName", "enumeration=q:a", 0, "not of the type xs:QName"},
		{"string", "enumeration=a|enumeration=b", 0, "not in the enumeration 'a'"},
		{"string", "whiteSpace=none", 0, "none of"},
		{"token", "whiteSpace=preserve", 0, "stricter"},
		{"int", "whiteSpace=replace", 0, "stricter or fixed"},
		{"string", "whiteSpace!=replace|whiteSpace=collapse", 0, "fixed"},
		{"int", "minInclusive=1.5", 0, "not of the type xs:int"},
		{"int", "minInclusive=", 0, "not of the type xs:int"},
		{"byte", "maxInclusive=200", 0, "the base type has the maxInclusive '127'"},
		{"decimal", "minInclusive=1;minExclusive=1", 1, "exclude each other"},
		{"decimal", "maxInclusive=1;maxExclusive=1", 1, "exclude each other"},
		{"decimal", "minInclusive=2;maxInclusive=1", 1, "not less"},
		{"decimal", "minInclusive=1;maxExclusive=1", 1, "not less"},
		{"decimal", "minExclusive=1;maxInclusive=1", 1, "not less"},
		{"decimal", "minInclusive=1|minInclusive=0", 0, "the base type has the minInclusive '1'"},
		{"decimal", "minExclusive=1|minInclusive=1", 0, "the base type has the minExclusive '1'"},
		{"decimal", "maxExclusive=1|maxInclusive=1", 0, "the base type has the maxExclusive '1'"},
		{"decimal", "maxInclusive!=9|maxInclusive=8", 0, "fixed"},
		{"date", "minInclusive=2000-02-30", 0, "not of the type xs:date"},
	} {
		_, problems := restrict(datatype.Builtin(test.base), test.facets)
		if len(problems) == 0 || problems[0].Facet != test.facet || !strings.Contains(problems[0].Message, test.want) {
			t.Errorf("%s %s: %v, want %q of facet %d", test.base, test.facets, problems, test.want, test.facet)
		}
	}
	for _, allowed := range []string{
		"minInclusive=1;maxInclusive=1", "minExclusive=1;maxExclusive=1", "maxInclusive!=9|maxInclusive=9.0", "maxExclusive=5|maxExclusive=5",
		"totalDigits=3|totalDigits=3", "fractionDigits=0", "totalDigits=99999999999999999999",
	} {
		if _, problems := restrict(datatype.Builtin("decimal"), allowed); len(problems) > 0 {
			t.Errorf("%s: %v", allowed, problems)
		}
	}
}

// TestEntities has enumerations of entities. They are not among the facetCases, since
// xmllint takes no entity in an enumeration.
func TestEntities(t *testing.T) {
	for _, c := range []struct {
		base, facets, text string
		want               bool
	}{
		{"ENTITY", "enumeration=image", " image ", true},
		{"ENTITY", "enumeration=picture", "image", false},
		{"ENTITY", "enumeration=picture", "picture", false}, // is no entity of the document
		{"ENTITIES", "enumeration=image image", " image  image", true},
		{"ENTITIES", "enumeration=image image", "image", false},
	} {
		kind, problems := restrict(datatype.Builtin(c.base), c.facets)
		if err := kind.Valid(c.text, testContext{}); (err == nil) != c.want || len(problems) > 0 {
			t.Errorf("%q of %s: %v, want %v (%v)", c.text, c.facets, err, c.want, problems)
		}
	}
}

// TestUnknown restricts a type that stands in for another one.
func TestUnknown(t *testing.T) {
	kind, problems := restrict(datatype.Unknown(), "length=1;minInclusive=x|whiteSpace=none")
	if len(problems) > 0 || kind.Valid("abc", nil) != nil {
		t.Errorf("%v, %v", problems, kind.Valid("abc", nil))
	}
}

// TestUnion has a union whose members have values in common, with white space of its own
// each (part 2, section 2.5.1.3).
func TestUnion(t *testing.T) {
	word, _ := restrict(datatype.Builtin("string"), "pattern=[a-z ]+")
	union, _ := datatype.NewUnion(datatype.Name{Local: "u"}, []*datatype.Type{datatype.Builtin("int"), word, datatype.Builtin("NMTOKENS")})
	for text, want := range map[string]string{" 1 ": "int", "1 2": "NMTOKENS", " a": "", "A": "NMTOKENS"} {
		v := value(t, union, text)
		if got := v.Type().Name().Local; got != want {
			t.Errorf("%q is of the type %q, want %q", text, got, want)
		}
	}
	if got, want := union.Valid("$", nil).Error(), "The value '$' is not of the type u."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	limited, problems := restrict(union, "enumeration=01;enumeration=a b;enumeration=X Y")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for text, want := range map[string]bool{"1": true, "+1": true, "a b": true, "a  b": false, "X  Y": true, "2": false, "X": false} {
		if got := limited.Valid(text, nil) == nil; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	_, problems = restrict(union, "length=1")
	if len(problems) != 1 {
		t.Errorf("unions have the facet length: %v", problems)
	}
}

func TestList(t *testing.T) {
	list, problems := datatype.NewList(datatype.Name{}, datatype.Builtin("decimal"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	a, b := value(t, list, "1 2.0"), value(t, list, "\n01.0 2 ")
	if !a.Equal(b) || len(a.Items()) != 2 {
		t.Errorf("%q and %q differ, with %d items", a.Key(), b.Key(), len(a.Items()))
	}
	if c := value(t, list, "1 2 3"); a.Equal(c) {
		t.Error("lists of different lengths are equal")
	}
	if got, want := list.Valid("1 x 2", nil).Error(), "The item 'x' of the list is not of the type xs:decimal."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	union, _ := datatype.NewUnion(datatype.Name{}, []*datatype.Type{list})
	if _, problems := datatype.NewList(datatype.Name{}, union); len(problems) != 1 {
		t.Errorf("a list of lists: %v", problems)
	}
}

func TestMessages(t *testing.T) {
	for _, test := range []struct{ base, facets, text, want string }{
		{"string", "length=2", "abc", "The value 'abc' has the length 3, not the length 2."},
		{"string", "minLength=2", "a", "The value 'a' has the length 1, less than the minLength 2."},
		{"string", "maxLength=1", "%s", "The value '%s' has the length 2, more than the maxLength 1."},
		{"string", "pattern=%d;pattern=b", "c", "The value 'c' does not match the pattern '%d', 'b'."},
		{"int", "minInclusive=5", "4", "The value '4' must be at least '5' (minInclusive)."},
		{"int", "maxExclusive=5", "5", "The value '5' must be less than '5' (maxExclusive)."},
		{"decimal", "totalDigits=2", "123", "The value '123' has more than 2 digits (totalDigits)."},
		{"decimal", "fractionDigits=1", "1.23", "The value '1.23' has more than 1 digits after the point (fractionDigits)."},
		{"string", "enumeration=a;enumeration=b", "c", "The value 'c' is not in the enumeration 'a', 'b'."},
		{"int", "minInclusive=5", " x ", "The value 'x' is not of the type xs:int."},
	} {
		kind, _ := restrict(datatype.Builtin(test.base), test.facets)
		if got := kind.Valid(test.text, nil).Error(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	long := datatype.Builtin("int").Valid(strings.Repeat("é", 500_000), nil).Error()
	if want := "The value '" + strings.Repeat("é", 100) + "…' is not of the type xs:int."; long != want {
		t.Errorf("%s, want %s", long, want)
	}
}
