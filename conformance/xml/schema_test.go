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

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest"
)

// TestSchemaSuite asks the tool about every case of the W3C's suite for XML Schema
// 1.0, in the directory that the variable XSDTESTS names.
func TestSchemaSuite(t *testing.T) {
	dir := os.Getenv("XSDTESTS")
	if dir == "" {
		t.Skip("XSDTESTS does not name the directory of the W3C's XML Schema test suite")
	}
	client := connect(t, dir)
	s := &score{known: knownFailures(t, "testdata/expected-failures.txt")}
	for _, c := range suite(t, dir) {
		s.schema(t, client, c)
	}
	s.report(t)
}

// connect is a client of the tools for the documents in a directory.
func connect(t *testing.T, dir string) *mcptest.Client {
	t.Helper()
	config := debugger.Config{Documents: debugger.Documents{Roots: []string{dir}, Timeout: 5 * time.Minute}}
	table, err := config.Open(t.Context(), host.Env{
		Logger: slog.New(slog.DiscardHandler), Now: time.Now, Data: t.TempDir(), Getenv: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return mcptest.Connect(t, table)
}

// validate calls validate_schema; it returns an error unless the verdict is that a document is
// valid.
func validate(client *mcptest.Client, document, schema string) error {
	answer := client.Call("validate_schema", map[string]any{"document": document, "schema": schema})
	if answer.Err != nil {
		return answer.Err
	}
	return nil
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
func (s *score) schema(t *testing.T, client *mcptest.Client, c schemaCase) {
	schema, err := argument(c.schemas)
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	// Whatever a document violates, a schema that cannot be used is another error.
	err = validate(client, "<none/>", schema)
	if c.want != "" {
		s.check(t, c.name, c.want, schemaVerdict(err), err)
	}
	for _, i := range c.instances {
		if _, err := os.Stat(i.path); os.IsNotExist(err) {
			t.Logf("%s is not there", i.path)
			continue
		}
		err := validate(client, i.path, schema)
		s.check(t, i.name, i.want, instanceVerdict(err, i.path), err)
	}
}

// schemaVerdict tells from validating a document that cannot be valid whether
// the schema could be used.
func schemaVerdict(err error) string {
	switch {
	case err == nil, about(err, " does not match "):
		return "valid"
	case about(err, " cannot be used as a schema "), about(err, " is not well-formed "):
		return "invalid"
	}
	return "error"
}

func instanceVerdict(err error, path string) string {
	switch {
	case err == nil:
		return "valid"
	case about(err, " does not match "), about(err, filepath.Base(path)+" is not well-formed "):
		return "invalid"
	case about(err, " cannot be used as a schema "):
		return "schema"
	}
	return "error"
}

// about reports whether an error is that a validation failed, in a way that the
// first line of its details names.
func about(err error, phrase string) bool {
	wrong, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || wrong.Code != -32009 {
		return false
	}
	first, _, _ := strings.Cut(wrong.Error(), "\n")
	return strings.Contains(first, phrase)
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
func knownFailures(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
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
