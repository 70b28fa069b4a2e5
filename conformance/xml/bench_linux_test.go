package xml_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/debugger/document/isolate"
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
// same is done with a process of ours. The column cpu-s is processor time, which
// other work on the machine does not change much. MB-mem is the largest resident
// size of a process, and of a library that goes on the live heap that it holds.
//
// The program in the folder plot makes a table and a picture of what this prints.
func BenchmarkSize(b *testing.B) {
	for _, size := range []int{1, 8, 16, 31, 50} {
		dir := b.TempDir()
		path := catalog(b, dir, size<<20)
		schema := filepath.Join(dir, "s.xsd")
		if err := os.WriteFile(schema, []byte(recordSchema), 0o644); err != nil {
			b.Fatal(err)
		}
		name := func(what string) string { return fmt.Sprintf("%dMB/%s", size, what) }
		b.Run(name("query/cached"), func(b *testing.B) { ours(b, dir, []string{"query", path}) })
		b.Run(name("query/process"), func(b *testing.B) { process(b, again(b, dir, "query", path)) })
		b.Run(name("query/xmllint"), func(b *testing.B) { process(b, lint(b, "--xpath", benchQuery, path)) })
		b.Run(name("validate/cached"), func(b *testing.B) { ours(b, dir, []string{"validate", path, schema}) })
		b.Run(name("validate/process"), func(b *testing.B) { process(b, again(b, dir, "validate", path, schema)) })
		b.Run(name("validate/xmllint"), func(b *testing.B) { process(b, lint(b, "--noout", "--schema", schema, path)) })
	}
}

// Variables that make this program do something else than tests, and end.
const (
	// asRequest lists the folder of the documents, what to do, and the paths.
	asRequest = "TRIPTYCH_TEST_XML_REQUEST"
	// asStarter makes it start its arguments and print what that took. A process
	// counts the memory of the one that started it as its own, so that should be
	// a small one.
	asStarter = "TRIPTYCH_TEST_XML_STARTER"
)

func TestMain(m *testing.M) {
	err := errors.ErrUnsupported
	if os.Getenv(asStarter) != "" {
		err = start(os.Args[1:])
	} else if request, ok := os.LookupEnv(asRequest); ok {
		err = answer(filepath.SplitList(request))
	}
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		os.Exit(m.Run())
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// start runs a command and prints its processor time in nanoseconds and its
// largest resident size in KiB.
func start(args []string) error {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, asStarter) })
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return errors.New("what a process took is not known")
	}
	_, err := fmt.Fprintln(os.Stdout, usage.Utime.Nano()+usage.Stime.Nano(), usage.Maxrss)
	return err
}

// answer opens a library and asks it for one thing.
func answer(args []string) error {
	isolate.TuneCollector(0)
	lib, err := document.Open(document.Config{Roots: args[:1], MaxTime: 5 * time.Minute}, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return perform(context.Background(), lib, args[1:])
}

// perform asks for one thing: "query" and a document, or "validate", a document
// and a schema.
func perform(ctx context.Context, lib *document.Library, args []string) (err error) {
	if args[0] == "query" {
		_, err = lib.Query(ctx, document.QueryRequest{Document: args[1], Query: benchQuery, Version: document.XPath10})
	} else {
		_, err = lib.Validate(ctx, document.ValidateRequest{Document: args[1], Schema: args[2]})
	}
	return err
}

// again is a command of this program that does one request.
func again(b *testing.B, request ...string) []string {
	b.Helper()
	return []string{"env", asRequest + "=" + strings.Join(request, string(filepath.ListSeparator)), self(b)}
}

func self(b *testing.B) string {
	b.Helper()
	path, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	return path
}

// lint is a command of xmllint.
func lint(b *testing.B, args ...string) []string {
	b.Helper()
	xmllint(b)
	return append([]string{"xmllint"}, args...)
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

// ours measures a library that has read the document before.
func ours(b *testing.B, dir string, request []string) {
	before := live()
	lib := open(b, document.Config{Roots: []string{dir}, CacheBytes: 1 << 30})
	do := func() {
		if err := perform(b.Context(), lib, request); err != nil {
			b.Fatal(err)
		}
	}
	do()
	held := live() - before
	b.ReportAllocs()
	began := processorTime()
	for b.Loop() {
		do()
	}
	b.ReportMetric((processorTime()-began).Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(float64(held)/1e6, "MB-mem")
	runtime.KeepAlive(lib)
}

// processorTime returns the processor time of this process.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// process measures processes that are started one after the other.
func process(b *testing.B, command []string) {
	b.Helper()
	var taken, nanoseconds, kib, largest int64
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), self(b), command...)
		cmd.Env = append(os.Environ(), asStarter+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		if _, err := fmt.Sscan(string(out), &nanoseconds, &kib); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		taken, largest = taken+nanoseconds, max(largest, kib)
	}
	b.ReportMetric(time.Duration(taken).Seconds()/float64(b.N), "cpu-s")
	b.ReportMetric(float64(largest)*1024/1e6, "MB-mem")
}
