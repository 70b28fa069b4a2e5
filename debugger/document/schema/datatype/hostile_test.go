package datatype_test

import (
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
)

// TestLongValues validates values of a million digits and the like against types that
// compare them. The time is that of several thousand times what they take.
func TestLongValues(t *testing.T) {
	const long = 1_000_000
	digits := strings.Repeat("9", long)
	for _, test := range []struct {
		base, facets, text string
		valid              bool
	}{
		{"integer", "minInclusive=0", digits, true},
		{"decimal", "maxInclusive=0", "-" + digits + "." + digits, true},
		{"decimal", "totalDigits=5", digits, false},
		{"int", "minInclusive=0", digits, false},
		{"double", "minInclusive=0", digits + "e" + digits, true},
		{"duration", "minInclusive=P1Y", "P1" + strings.Repeat("0", 1000) + "Y", true},
		{"duration", "minInclusive=P1Y", "P" + digits + "Y", false}, // more digits than are supported
		{"duration", "minInclusive=P1Y", "P1YT1." + digits + "S", true},
		{"dateTime", "minInclusive=2000-01-01T00:00:00", "1" + strings.Repeat("0", 9000) + "-01-01T00:00:00", true},
		{"dateTime", "minInclusive=2000-01-01T00:00:00", digits + "-01-01T00:00:00", false},
		{"dateTime", "minInclusive=2000-01-01T00:00:00", "2000-01-01T00:00:00." + digits, true},
		{"string", "maxLength=5", digits, false},
		{"token", "maxLength=5", strings.Repeat(" \t", long), true},
		{"token", "enumeration=a", strings.Repeat("a ", long), false},
		{"NMTOKENS", "enumeration=a", strings.Repeat("a ", long), false},
		{"hexBinary", "enumeration=00", strings.Repeat("00", long), false},
		{"base64Binary", "enumeration=AAAA", strings.Repeat("A A ", long), false},
		{"anyURI", "maxLength=3000000", strings.Repeat("%20", long), true},
		{"language", "maxLength=3", strings.Repeat("a-", long), false},
	} {
		kind, problems := restrict(datatype.Builtin(test.base), test.facets)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		start := time.Now()
		err := kind.Valid(test.text, testContext{})
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s %s takes %v", test.base, test.facets, took)
		}
		if (err == nil) != test.valid {
			t.Errorf("%s %s: %.100v", test.base, test.facets, err)
		}
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s %s: the message has %d bytes", test.base, test.facets, len(err.Error()))
		}
	}
}

// TestNestedUnions has unions of unions whose members would be tried 2^40 times, were they
// accepted, and unions within each other with an enumeration each.
func TestNestedUnions(t *testing.T) {
	left, right := datatype.Builtin("int"), datatype.Builtin("byte")
	var problems []datatype.Problem
	for range 40 {
		union, more := datatype.NewUnion(datatype.Name{}, []*datatype.Type{left, right})
		problems = append(problems, more...)
		left, _ = restrict(union, "pattern=a")
		right, _ = restrict(union, "pattern=b")
	}
	if len(problems) == 0 {
		t.Error("there are no problems")
	}
	if left.Valid("x", nil) == nil {
		t.Error("x is valid")
	}
	nested := datatype.Builtin("int")
	for range 60 {
		union, _ := datatype.NewUnion(datatype.Name{}, []*datatype.Type{nested})
		nested, _ = restrict(union, "enumeration=1;enumeration=2")
	}
	if nested.Valid("+1", nil) != nil || nested.Valid("3", nil) == nil {
		t.Error("a union of unions with an enumeration each does not hold its values")
	}
}

// TestAllocations pins that the usual valid values take no memory.
func TestAllocations(t *testing.T) {
	for _, test := range []struct{ base, facets, text string }{
		{"string", "", "some text\nin lines"}, {"token", "", "some text"}, {"int", "", " 12345 "}, {"decimal", "", "-12.50"},
		{"boolean", "", "true"}, {"double", "", "1.5E3"}, {"dateTime", "", "2024-02-29T12:34:56.789+01:00"}, {"date", "", "2024-02-29"},
		{"duration", "", "P1Y2M3DT4H5M6.7S"}, {"anyURI", "", "https://example.org/a?b#c"}, {"NMTOKENS", "", "a b c"}, {"ID", "", "a1"},
		{"language", "", "en-GB"}, {"base64Binary", "", "AAAA BBBB"}, {"QName", "", "p:name"},
		{"string", "minLength=1;maxLength=80", "some text"}, {"string", "enumeration=red;enumeration=green", "green"},
		{"decimal", "totalDigits=10;fractionDigits=2;minExclusive=0", "123.45"}, {"date", "minInclusive=2000-01-01", "2024-02-29"},
		{"double", "minInclusive=0", "1.5"}, {"duration", "minInclusive=PT0S", "P1DT2H"},
	} {
		kind := datatype.Builtin(test.base)
		if test.facets != "" {
			kind, _ = restrict(kind, test.facets)
		}
		var ctx datatype.Context = testContext{}
		if n := testing.AllocsPerRun(100, func() {
			if err := kind.Valid(test.text, ctx); err != nil {
				t.Error(err)
			}
		}); n > 0 {
			t.Errorf("%s %s: %v allocations", test.base, test.facets, n)
		}
	}
}

func BenchmarkValid(b *testing.B) {
	for _, bench := range []struct{ base, facets, text string }{
		{"string", "", "some text"}, {"int", "", "12345"}, {"decimal", "fractionDigits=2", "-12.50"}, {"date", "", "2024-02-29"},
		{"dateTime", "minInclusive=2000-01-01T00:00:00Z", "2024-02-29T12:34:56.789+01:00"}, {"NCName", "", "identifier"},
		{"token", "enumeration=red;enumeration=green", "green"}, {"string", `pattern=[A-Z]{2}\d{4}`, "AB1234"},
	} {
		b.Run(bench.base+bench.facets, func(b *testing.B) {
			kind := datatype.Builtin(bench.base)
			if bench.facets != "" {
				kind, _ = restrict(kind, bench.facets)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := kind.Valid(bench.text, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
