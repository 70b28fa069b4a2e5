package document_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/debugger/document"
)

const noteSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:n" xmlns="urn:n" elementFormDefault="qualified">
  <xs:element name="notes"><xs:complexType><xs:sequence>
    <xs:element name="note" maxOccurs="unbounded"><xs:complexType>
      <xs:sequence><xs:element name="text" type="xs:string"/></xs:sequence>
      <xs:attribute name="day" type="xs:date" use="required"/>
    </xs:complexType></xs:element>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>`

func TestValidate(t *testing.T) {
	lib := open(t, document.Config{})
	type violations = []document.Violation
	note := func(n string) string { return "/Q{urn:n}notes[1]/Q{urn:n}note[" + n + "]" }
	tests := []struct {
		name, text string
		want       violations // without their messages
		mentions   []string   // one for each
	}{
		{"valid", `<notes xmlns="urn:n"><note day="2024-12-05"><text>x</text></note></notes>`, nil, nil},
		{
			"all on one line", `<notes xmlns="urn:n"><note day="x"><text/></note><note><text/></note><n:note xmlns:n="urn:n" day="2024-12-05"><n:txt/></n:note></notes>`,
			violations{
				{Line: 1, Column: 22, Path: note("1") + "/@day"},
				{Line: 1, Column: 50, Path: note("2")},
				{Line: 1, Column: 111, Path: note("3") + "/Q{urn:n}txt[1]"},
			},
			[]string{"'x' is not of the type xs:date", "'day' is required", "not expected"},
		},
		{
			"several lines", "<notes xmlns='urn:n'>\r\n  <note day='2024-12-05'>\n\t<text>é</text></note>\r   <b/>\n</notes>",
			violations{
				{Line: 4, Column: 4, Path: "/Q{urn:n}notes[1]/Q{urn:n}b[1]"},
			},
			[]string{"not expected"},
		},
		{"another root", `<x/>`, violations{{Line: 1, Column: 1, Path: "/x[1]"}}, []string{"No matching global"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: test.text, Schema: noteSchema})
			var got violations
			if wrong, ok := errors.AsType[*document.ViolationsError](err); ok {
				got = wrong.Violations
			} else if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if i < len(test.mentions) && !strings.Contains(got[i].Message, test.mentions[i]) {
					t.Errorf("message %d is %q, want one with %q", i, got[i].Message, test.mentions[i])
				}
				got[i].Message = ""
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestSchemaError(t *testing.T) {
	lib := open(t, document.Config{})
	_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: "<a/>", Schema: "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'>\n  <xs:element name='a' typ='xs:int'/>\n</xs:schema>"})
	wrong, ok := errors.AsType[*document.SchemaError](err)
	if !ok {
		t.Fatalf("got %v, want a SchemaError", err)
	}
	got := wrong.Problems[0]
	if got.Line != 2 || got.Column != 3 || !strings.HasSuffix(got.Path, "element[1]") || !strings.Contains(got.Message, "typ") {
		t.Errorf("got %v, want the element of line 2, column 3 and the name of the attribute", got)
	}
}

// schemaOf makes a schema that takes the elements it is given.
func schemaOf(body string) string {
	return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">` + body + `</xs:schema>`
}

func TestInclude(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"in/main.xsd":    schemaOf(`<xs:include schemaLocation="parts/a.xsd"/>`),
		"in/parts/a.xsd": schemaOf(`<xs:include schemaLocation="../b c.xsd"/><xs:element name="a"/>`),
		"in/b c.xsd":     schemaOf(`<xs:element name="b"/>`),
		"in/out.xsd":     schemaOf(`<xs:include schemaLocation="../secret.xsd"/>`),
		"in/absent.xsd":  schemaOf(`<xs:include schemaLocation="gone.xsd"/><xs:element name="a"/>`),
		"in/remote.xsd":  schemaOf(`<xs:import namespace="urn:r" schemaLocation="http://127.0.0.1:1/r.xsd"/><xs:element name="a" xmlns:r="urn:r" type="r:t"/>`),
		"in/lang.xsd":    schemaOf(`<xs:import namespace="http://www.w3.org/XML/1998/namespace" schemaLocation="http://www.w3.org/2001/xml.xsd"/><xs:element name="a"><xs:complexType><xs:attribute ref="xml:lang"/></xs:complexType></xs:element>`),
		"in/broken.xsd":  schemaOf(`<xs:include schemaLocation="parts/broken.xsd"/><xs:element name="a"/>`),
		"in/parts/broken.xsd": schemaOf(`
<xs:element/>`),
		"secret.xsd": schemaOf(`<xs:element name="a"/>`),
	})
	in := filepath.Join(dir, "in")
	lib := open(t, document.Config{Roots: []string{in}})
	tests := []struct {
		schema, text string
		want         any // a pointer to the type of the error; nil for valid
		mentions     string
	}{
		{"main.xsd", "<b/>", nil, ""},
		{filepath.Join(in, "main.xsd"), "<a/>", nil, ""},
		{schemaOf(`<xs:include schemaLocation="parts/a.xsd"/>`), "<b/>", nil, ""},
		{schemaOf(`<xs:include schemaLocation="` + in + `/parts/a.xsd"/>`), "<b/>", nil, ""},
		{"out.xsd", "<a/>", new(*document.PermissionError), "secret.xsd"},
		{schemaOf(`<xs:include schemaLocation="file:///etc/passwd"/>`), "<a/>", new(*document.PermissionError), "/etc/passwd"},
		{"remote.xsd", "<a/>", new(*document.SchemaError), "nothing is fetched from elsewhere: http://127.0.0.1:1/r.xsd"},
		{"lang.xsd", `<a xml:lang="de-AT"/>`, nil, ""},
		{"lang.xsd", `<a xml:lang="not a language"/>`, new(*document.ViolationsError), "lang"},
		{"broken.xsd", "<a/>", new(*document.SchemaError), filepath.Join(in, "parts/broken.xsd") + ":2"},
	}
	for _, test := range tests {
		t.Run(test.schema, func(t *testing.T) {
			_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: test.text, Schema: test.schema})
			if test.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			all := ""
			if wrong, ok := errors.AsType[*document.SchemaError](err); ok {
				for _, p := range wrong.Problems {
					all += p.String() + "\n"
				}
			}
			if err == nil || !errors.As(err, test.want) || !strings.Contains(all+err.Error(), test.mentions) {
				t.Errorf("got %T %v, want %T with %q", err, err, test.want, test.mentions)
			}
		})
	}
}

// What a schema includes and is not there is a warning, until it is there.
func TestIncludeAbsent(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"main.xsd": schemaOf(`<xs:include schemaLocation="part.xsd"/><xs:element name="a"/>`),
	})
	lib := open(t, document.Config{Roots: []string{dir}})
	got, err := lib.Validate(t.Context(), document.ValidateRequest{Document: "<a/>", Schema: "main.xsd"})
	if want := []string{"not found: " + filepath.Join(dir, "part.xsd")}; err != nil || !slices.Equal(got.Warnings, want) {
		t.Errorf("got %q, %v, want %q", got.Warnings, err, want)
	}
	write(t, dir, map[string]string{"part.xsd": schemaOf(`<xs:element name="b"/>`)})
	got, err = lib.Validate(t.Context(), document.ValidateRequest{Document: "<b/>", Schema: "main.xsd"})
	if err != nil || got.Warnings != nil {
		t.Errorf("got %q, %v, want the file that is there now", got.Warnings, err)
	}
}

// An included file that changes makes the schema compile anew.
func TestIncludeChanges(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"main.xsd": schemaOf(`<xs:include schemaLocation="part.xsd"/>`),
		"part.xsd": schemaOf(`<xs:element name="a"/>`),
	})
	lib := open(t, document.Config{Roots: []string{dir}})
	validate := func() error {
		_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: "<a/>", Schema: "main.xsd"})
		return err
	}
	for range 3 {
		if err := validate(); err != nil {
			t.Fatal(err)
		}
	}
	if s := lib.Stats(); s.Misses != 1 || s.Hits != 2 {
		t.Errorf("got %d misses and %d hits, want 1 and 2", s.Misses, s.Hits)
	}
	write(t, dir, map[string]string{"part.xsd": schemaOf(`<xs:element name="b"/>`)})
	if err := validate(); err == nil {
		t.Error("the schema before the change was used")
	}
}

// The engine adds to a tree the attributes that the schema has defaults for.
// Other requests for the same document must not see them.
func TestDefaultsStayApart(t *testing.T) {
	withDefault := schemaOf(`<xs:element name="a"><xs:complexType><xs:attribute name="x" fixed="1"/></xs:complexType></xs:element>`)
	other := schemaOf(`<xs:element name="a"><xs:complexType><xs:attribute name="x" fixed="2"/></xs:complexType></xs:element>`)
	none := schemaOf(`<xs:element name="a"/>`)
	dir := write(t, t.TempDir(), map[string]string{
		"a.xml": "<a/>", "one.xsd": withDefault, "two.xsd": other,
		"hint.xml": `<a xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="one.xsd"/>`,
	})
	lib := open(t, document.Config{Roots: []string{dir}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for _, name := range []string{"a.xml", "hint.xml"} {
				for _, schema := range []string{withDefault, other, none, "one.xsd", "two.xsd"} {
					if _, err := lib.Validate(t.Context(), document.ValidateRequest{Document: name, Schema: schema}); err != nil {
						t.Errorf("%s, %s: %v", name, schema, err)
					}
				}
				got, err := lib.Query(t.Context(), document.QueryRequest{Document: name, Query: "//@x"})
				if err != nil || got.Total != 0 {
					t.Errorf("%s: %v %v, want no attribute", name, got, err)
				}
			}
		})
	}
	wg.Wait()
}
