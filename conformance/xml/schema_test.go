package xml_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// TestSchemaSuite asks the library about every case of the W3C's suite for XML
// Schema 1.0, in the directory that the variable XSDTESTS names.
func TestSchemaSuite(t *testing.T) {
	dir := os.Getenv("XSDTESTS")
	if dir == "" {
		t.Skip("XSDTESTS does not name the directory of the W3C's XML Schema test suite")
	}
	lib, err := document.Open(document.Config{Roots: []string{dir}, Deadline: 5 * time.Minute}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer lib.Close()
	s := &score{known: knownFailures(t)}
	for _, c := range suite(t, dir) {
		s.schema(t, lib, c)
	}
	s.report(t)
}

// A score counts cases.
type score struct {
	known         map[string]string // cases that are expected to fail, and why
	passed, total int
	failed        map[string]bool
}

// check counts one case.
func (s *score) check(t *testing.T, name, want, got string, detail error) {
	s.total++
	if got == want {
		s.passed++
		return
	}
	if s.failed == nil {
		s.failed = map[string]bool{}
	}
	s.failed[name] = true
	if _, ok := s.known[name]; !ok {
		t.Errorf("%s: %s, want %s (%v)", name, got, want, detail)
	}
}

// share is the part of cases in thousandths of a percent that must pass.
const share = 99_800

func (s *score) report(t *testing.T) {
	t.Helper()
	for name, why := range s.known {
		if !s.failed[name] {
			t.Errorf("%s passes: strike it off the expected failures (%s)", name, why)
		}
	}
	t.Logf("%d of %d cases pass: %.2f %%", s.passed, s.total, 100*float64(s.passed)/float64(s.total))
	if s.passed*100_000 < share*s.total {
		t.Errorf("that is less than %v %%", share/1000.0)
	}
}

// schema asks about a schema and its instances.
func (s *score) schema(t *testing.T, lib *document.Library, c schemaCase) {
	schema, err := argument(c.schemas)
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	// Whatever a document violates, a schema that cannot be used is another error.
	_, err = lib.Validate(t.Context(), document.ValidateRequest{Document: "<none/>", Schema: schema})
	if c.want != "" {
		s.check(t, c.name, c.want, schemaVerdict(err), err)
	}
	for _, i := range c.instances {
		if _, err := os.Stat(i.path); os.IsNotExist(err) {
			t.Logf("%s is not there", i.path)
			continue
		}
		_, err := lib.Validate(t.Context(), document.ValidateRequest{Document: i.path, Schema: schema})
		s.check(t, i.name, i.want, instanceVerdict(err), err)
	}
}

// schemaVerdict tells from validating a document that cannot be valid whether
// the schema could be used.
func schemaVerdict(err error) string {
	switch {
	case err == nil, is[*document.ViolationsError](err):
		return "valid"
	case is[*document.SchemaError](err), is[*document.SyntaxError](err):
		return "invalid"
	}
	return "error"
}

func instanceVerdict(err error) string {
	switch {
	case err == nil:
		return "valid"
	case is[*document.ViolationsError](err), is[*document.SyntaxError](err):
		return "invalid"
	case is[*document.SchemaError](err):
		return "schema"
	}
	return "error"
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// argument is the schema argument for all documents of a schema: the one, or an
// inline schema that includes and imports all of them.
func argument(paths []string) (string, error) {
	if len(paths) == 1 {
		return paths[0], nil
	}
	var b strings.Builder
	b.WriteString(`<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">`)
	for _, path := range paths {
		space, err := targetNamespace(path)
		if err != nil {
			return "", err
		}
		if space == "" {
			fmt.Fprintf(&b, `<xs:include schemaLocation=%q/>`, path)
		} else {
			fmt.Fprintf(&b, `<xs:import namespace=%q schemaLocation=%q/>`, space, path)
		}
	}
	b.WriteString(`</xs:schema>`)
	return b.String(), nil
}

func targetNamespace(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var root struct {
		Namespace string `xml:"targetNamespace,attr"`
	}
	err = xml.Unmarshal(text, &root)
	if syntax := new(xml.SyntaxError); errors.As(err, &syntax) {
		err = nil // that is for the library to find out
	}
	return root.Namespace, err
}

// knownFailures reads the list of cases that fail, each with its reason.
func knownFailures(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "expected-failures.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, why, ok := strings.Cut(line, " ")
		if !ok {
			t.Fatalf("%s has no reason", name)
		}
		known[name] = strings.TrimSpace(why)
	}
	return known
}
