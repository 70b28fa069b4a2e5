package xml_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

const (
	record = `<book id="bk%07d" lang="en"><author>Somebody Else</author><title>Something of Note</title><genre>Computer</genre><price>44.95</price><published>2000-10-01</published><description>A look at what can be written down in so many words.</description></book>` + "\n"

	recordSchema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="catalog"><xs:complexType><xs:sequence>
<xs:element name="book" minOccurs="0" maxOccurs="unbounded"><xs:complexType><xs:sequence>
<xs:element name="author" type="xs:string"/><xs:element name="title" type="xs:string"/><xs:element name="genre" type="xs:NCName"/>
<xs:element name="price" type="xs:decimal"/><xs:element name="published" type="xs:date"/><xs:element name="description" type="xs:string"/>
</xs:sequence><xs:attribute name="id" type="xs:NCName" use="required"/><xs:attribute name="lang" type="xs:language"/></xs:complexType></xs:element>
</xs:sequence></xs:complexType></xs:element></xs:schema>`

	benchQuery = "count(//book[price > 40]/title)"
)

// BenchmarkSize measures time and memory against the size of a document, beside
// xmllint, a process of which is started for each document as people would. The
// column MB-mem is the live heap that the tree takes, and for xmllint its largest
// resident size.
func BenchmarkSize(b *testing.B) {
	for _, size := range []int{1, 10, 31} {
		dir := b.TempDir()
		path := catalog(b, dir, size<<20)
		if err := os.WriteFile(filepath.Join(dir, "s.xsd"), []byte(recordSchema), 0o644); err != nil {
			b.Fatal(err)
		}
		name := func(what string) string { return fmt.Sprintf("%dMB/%s", size, what) }
		query := document.QueryRequest{Document: path, Query: benchQuery, Version: document.XPath10}
		validation := document.ValidateRequest{Document: path, Schema: filepath.Join(dir, "s.xsd")}
		cold := document.Config{Roots: []string{dir}, CacheBytes: -1}
		warm := document.Config{Roots: []string{dir}, CacheBytes: 1 << 30}
		ask := func(b *testing.B, lib *document.Library) { must(b)(lib.Query(b.Context(), query)) }
		check := func(b *testing.B, lib *document.Library) { must2(b)(lib.Validate(b.Context(), validation)) }
		b.Run(name("query/parsed_anew"), func(b *testing.B) { ours(b, cold, ask) })
		b.Run(name("query/cached"), func(b *testing.B) { ours(b, warm, ask) })
		b.Run(name("query/xmllint"), func(b *testing.B) { theirs(b, "--xpath", benchQuery, path) })
		b.Run(name("validate/parsed_anew"), func(b *testing.B) { ours(b, cold, check) })
		b.Run(name("validate/cached"), func(b *testing.B) { ours(b, warm, check) })
		b.Run(name("validate/xmllint"), func(b *testing.B) { theirs(b, "--noout", "--schema", filepath.Join(dir, "s.xsd"), path) })
	}
}

func must(b *testing.B) func(document.QueryResult, error) {
	return func(_ document.QueryResult, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

func must2(b *testing.B) func(document.Validation, error) {
	return func(_ document.Validation, err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
}

// catalog writes a document of about so many bytes.
func catalog(b *testing.B, dir string, size int) string {
	b.Helper()
	var text strings.Builder
	text.WriteString("<catalog>\n")
	for i := 0; text.Len() < size; i++ {
		fmt.Fprintf(&text, record, i)
	}
	text.WriteString("</catalog>\n")
	path := filepath.Join(dir, "catalog.xml")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		b.Fatal(err)
	}
	return path
}

// ours measures the library; its memory is what the cache holds after a request.
func ours(b *testing.B, config document.Config, do func(*testing.B, *document.Library)) {
	before := live()
	lib := open(b, config)
	do(b, lib)
	held := live() - before
	b.ReportAllocs()
	for b.Loop() {
		do(b, lib)
	}
	b.ReportMetric(float64(held)/1e6, "MB-mem")
	runtime.KeepAlive(lib)
}

func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// theirs measures xmllint.
func theirs(b *testing.B, args ...string) {
	xmllint(b)
	largest := int64(0)
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "xmllint", args...)
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			largest = max(largest, usage.Maxrss)
		}
	}
	b.ReportMetric(float64(largest)*1024/1e6, "MB-mem")
}
