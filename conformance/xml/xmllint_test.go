package xml_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/conformance/internal/need"
	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// xmllint skips a test where the program is missing.
func xmllint(t testing.TB) {
	t.Helper()
	need.Program(t, "xmllint") // to compare with
}

func open(t testing.TB, config document.Config) *document.Library {
	t.Helper()
	if config.MaxTime == 0 {
		config.MaxTime = 5 * time.Minute // the machine may be busy
	}
	lib, err := document.Open(config, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lib.Close() }) // it only reads
	return lib
}

// separator stands between answers; no document here has it.
const separator = "|~|"

// lintQueries has xmllint evaluate expressions, all of them in one process, as
// strings.
func lintQueries(t *testing.T, path string, queries []string) ([]string, error) {
	t.Helper()
	parts := make([]string, len(queries))
	for i, q := range queries {
		parts[i] = "string(" + q + ")"
	}
	all := "concat(" + strings.Join(parts, ",'"+separator+"',") + ",'')"
	cmd := exec.CommandContext(t.Context(), "xmllint", "--nonet", "--noent", "--nocdata", "--xpath", all, path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Logf("xmllint %s: %v: %.300s", path, err, stderr.String())
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), separator), nil
}

// compareQueries compares our answers with xmllint's, and reports how many
// expressions were compared.
func compareQueries(t *testing.T, lib *document.Library, path string, queries []string) int {
	t.Helper()
	want, err := lintQueries(t, path, queries)
	if err != nil {
		if _, ours := lib.Query(t.Context(), document.QueryRequest{Document: path, Query: "/"}); ours == nil {
			t.Errorf("%s: xmllint refuses what the library takes", path)
		}
		return 0
	}
	if len(want) != len(queries) {
		t.Fatalf("%s: %d answers to %d questions", path, len(want), len(queries))
	}
	for i, q := range queries {
		got, err := lib.Query(t.Context(), document.QueryRequest{Document: path, Query: "string(" + q + ")", Version: document.XPath10})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return i
		}
		if value := strings.TrimSuffix(got.Items[0].Value, "\n"); value != want[i] && got.Items[0].Value != want[i] {
			t.Errorf("%s: %s is %.200q, xmllint says %.200q", path, q, got.Items[0].Value, want[i])
		}
	}
	return len(queries)
}

// TestGeneratedQueries asks random questions of random documents.
func TestGeneratedQueries(t *testing.T) {
	sample.Alone(t)
	xmllint(t)
	dir := t.TempDir()
	lib := open(t, document.Config{Roots: []string{dir}})
	compared := 0
	for seed := range uint64(200) {
		g := newGenerator(seed)
		path := filepath.Join(dir, "doc.xml")
		if err := os.WriteFile(path, []byte(g.document()), 0o644); err != nil {
			t.Fatal(err)
		}
		var queries []string
		for range 80 {
			queries = append(queries, g.question())
		}
		compared += compareQueries(t, lib, path, queries)
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, g.text.String())
		}
	}
	t.Logf("%d answers are as xmllint gives them", compared)
}

// general are questions that any document can answer.
var general = []string{
	"count(//*)", "count(//@*)", "count(//text())", "count(//comment())", "count(//processing-instruction())",
	"name(/*)", "namespace-uri(/*)", "count(//*[not(*)])", "count(//*[@*]/*)", "name(//*[last()])", "string-length(/)",
	"count(//*[position() = last()])", "count(//*[position() mod 3 = 2])", "name((//*)[last()])", "count(//*/ancestor::*)",
	"count((//*)[10]/following::*)", "count((//*)[last()]/preceding::*)", "count(//*[count(ancestor::*) > 3])",
	"normalize-space(//*[normalize-space(text())][1])", "count(//*[. = ''])", "string((//@*)[7])", "name((//@*)[7]/..)",
	"count(//*[string-length(name()) > 5])", "count(//*[starts-with(local-name(), 's')])", "count(//namespace::*)",
	"substring(normalize-space(/*), 5, 300)", "count(//*[preceding-sibling::*[1][name() = name(following-sibling::*[1])]])",
	"boolean(//*[@id])", "sum(//*[not(*) and number(.) = number(.)])  > 0", "count(//* | //*/.. | //@*)",
}

// realFiles are XML files of the system that others wrote.
func realFiles(limit int) []string {
	endings := []string{".xml", ".xsd", ".xsl", ".svg", ".rng", ".page", ".its"}
	var files []string
	_ = filepath.WalkDir("/usr/share", func(path string, entry fs.DirEntry, err error) error { // what cannot be read is left out
		if err == nil && entry.Type().IsRegular() && slices.Contains(endings, filepath.Ext(path)) {
			if info, err := entry.Info(); err == nil && info.Size() < 1<<20 && !isReadDifferently(path) {
				files = append(files, path)
			}
		}
		return nil
	})
	for len(files) > limit { // every other one, so that all parts of the system stay
		var fewer []string
		for i := 0; i < len(files); i += 2 {
			fewer = append(fewer, files[i])
		}
		files = fewer
	}
	return files
}

var (
	externalEntity = regexp.MustCompile(`<!ENTITY[^>]*\s(SYSTEM|PUBLIC)\s`)
	doctypeComment = regexp.MustCompile(`<!DOCTYPE[^[>]*\[[^\]]*<!--`)
)

// isReadDifferently reports whether a file declares an external entity, which xmllint reads and the
// document tools refuse, or has a comment in its document type declaration, which xmllint counts and
// XPath 1.0 does not (section 5.6).
func isReadDifferently(path string) bool {
	data, err := os.ReadFile(path)
	return err == nil && (externalEntity.Match(data) || doctypeComment.Match(data))
}

// TestRealDocuments asks general questions of the XML files of this system.
func TestRealDocuments(t *testing.T) {
	xmllint(t)
	files := realFiles(150)
	if len(files) == 0 {
		t.Skip("no XML files below /usr/share")
	}
	lib := open(t, document.Config{Roots: []string{"/usr/share"}})
	compared := 0
	for _, path := range files {
		compared += compareQueries(t, lib, path, general)
	}
	t.Logf("%d answers on %d files are as xmllint gives them", compared, len(files))
}
