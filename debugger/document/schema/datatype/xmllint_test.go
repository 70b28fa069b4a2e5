package datatype_test

import (
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
)

// lintDiffers are values, after their type, of which xmllint says something else, and why.
var lintDiffers = map[string]string{
	"QName:  p:a ":           "it does not collapse the white space of names",
	"float: 1e":              "it takes an exponent without digits",
	"duration: PT1.S":        "it takes a point without digits",
	"duration: PT.5S":        "likewise",
	"NMTOKENS: ":             "it takes a list without items (section 3.3.5: minLength is 1)",
	"NMTOKENS:  ":            "likewise",
	"NMTOKENS maxLength=2: ": "likewise",
	"integer: -123456789012345678901234567890": "it takes 24 digits at most",
	"unsignedByte: +5":                         "it takes no sign, though the type is derived by facets alone (section 3.3.24)",
	"unsignedLong: -0":                         "likewise",
	"float minInclusive=1: NaN":                "it compares NaN with numbers",
	"dateTime minInclusive=2000-01-01T00:00:00Z: 99999999999999999999-01-01T00:00:00": "its years are small",
	"dateTime minInclusive=2000-01-01T00:00:00Z: 2000-01-01T14:00:00":                 "these are not comparable (section 3.2.7.4)",
	"dateTime maxExclusive=2000-01-01T00:00:00: 1999-12-31T10:00:00Z":                 "likewise",
}

// TestXmllint asks xmllint about the values of the other tests.
func TestXmllint(t *testing.T) {
	program, err := exec.LookPath("xmllint")
	if err != nil {
		t.Skip("xmllint is not installed")
	}
	l := &lint{}
	for name, texts := range lexicalSpaces {
		if name != "NOTATION" && !strings.HasPrefix(name, "ENTIT") && !strings.HasPrefix(name, "ID") && name != "anySimpleType" {
			l.add(name, "", append(texts.valid, texts.invalid...))
		}
	}
	for _, c := range facetCases {
		if c.base != "NOTATION" {
			l.add(c.base, c.facets, append(c.yes, c.no...))
		}
	}
	invalid := l.run(t, program)
	for i, c := range l.cases {
		kind := datatype.Builtin(c.base)
		if c.facets != "" {
			kind, _ = restrict(kind, c.facets)
		}
		got := kind.Valid(c.text, testContext{}) == nil
		_, differs := lintDiffers[c.String()]
		if want := !invalid[i]; (got == want) == differs {
			t.Errorf("%s: %v, xmllint says %v", c, got, want)
		}
	}
}

// A lint is a schema and a document for xmllint. Each case is on one line.
type lint struct {
	schema, document strings.Builder
	cases            []lintCase
	types            int
}

type lintCase struct{ base, facets, text string }

func (c lintCase) String() string { return strings.TrimSpace(c.base+" "+c.facets) + ": " + c.text }

// add adds a type with the texts to try. Each step of facets is a type within the next.
func (l *lint) add(base, facets string, texts []string) {
	l.types++
	fmt.Fprintf(&l.schema, `<xs:element name="e%d">`, l.types)
	var open, shut strings.Builder
	steps := strings.Split(facets, "|")
	for i := len(steps) - 1; i >= 0; i-- {
		open.WriteString("<xs:simpleType><xs:restriction")
		if i == 0 {
			open.WriteString(` base="xs:` + base + `"`)
		}
		open.WriteString(">")
	}
	for _, step := range steps {
		for facet := range strings.SplitSeq(step, ";") {
			if name, value, ok := strings.Cut(facet, "="); ok {
				fmt.Fprintf(&shut, `<xs:%s value="%s"/>`, name, escape(value))
			}
		}
		shut.WriteString("</xs:restriction></xs:simpleType>")
	}
	fmt.Fprintf(&l.schema, "%s%s</xs:element>\n", &open, &shut)
	for _, text := range texts {
		l.cases = append(l.cases, lintCase{base, facets, text})
		fmt.Fprintf(&l.document, "<e%d>%s</e%d>\n", l.types, escape(text), l.types)
	}
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text))
	return b.String()
}

// run returns the cases that xmllint finds invalid.
func (l *lint) run(t *testing.T, program string) map[int]bool {
	t.Helper()
	schema, document := filepath.Join(t.TempDir(), "a.xsd"), filepath.Join(t.TempDir(), "a.xml")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(schema, `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:p="urn:p"><xs:element name="r"><xs:complexType>`+
		`<xs:sequence><xs:any maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`+l.schema.String()+`</xs:schema>`)
	write(document, `<r xmlns:p="urn:p">`+"\n"+l.document.String()+"</r>")
	output, err := exec.CommandContext(t.Context(), program, "--noout", "--schema", schema, document).CombinedOutput()
	if err == nil || !strings.HasSuffix(strings.TrimSpace(string(output)), "fails to validate") {
		t.Fatalf("%v: %s", err, output)
	}
	invalid := map[int]bool{}
	for _, m := range regexp.MustCompile(`(?m)^[^:\n]*:(\d+): element`).FindAllStringSubmatch(string(output), -1) {
		line, _ := strconv.Atoi(m[1])
		invalid[line-2] = true
	}
	return invalid
}
