package isolate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/debugger/document/isolate"
)

// The test's own program is the process, when this variable says so.
const asProcess = "TRIPTYCH_TEST_DOCUMENT_PROCESS"

func TestMain(m *testing.M) {
	if os.Getenv(asProcess) != "" {
		if err := isolate.Serve(context.Background(), os.Stdin, os.Stdout, quiet()); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// remote gives a library in another process.
func remote(t *testing.T, config document.Config, memory int64) *isolate.Remote {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := isolate.New([]string{"/usr/bin/env", asProcess + "=1", self}, config, memory, quiet())
	t.Cleanup(func() { _ = r.Close() }) // it gives no error
	return r
}

// Whatever is asked, the answer is that of a library in this process, the types
// and fields of errors included.
func TestSameAnswers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.xml": "<a><b x='1'>t</b></a>", "bad.xml": "<a>", "latin.xml": `<?xml version="1.0" encoding="x-none"?><a/>`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	config := document.Config{Roots: []string{dir}, MaxDepth: 10}
	here, err := document.Open(config, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	there := remote(t, config, 0)
	schema := func(body string) string {
		return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">` + body + `</xs:schema>`
	}
	for _, q := range []document.QueryRequest{
		{Document: "a.xml", Query: "//b | //@x"},
		{Document: "<a>\u00e9</a>", Query: "string(/)", Version: "1.0"},
		{Document: "a.xml", Query: "//["},
		{Document: "gone.xml", Query: "/"},
		{Document: "../x", Query: "/"},
		{Document: "bad.xml", Query: "/"},
		{Document: "latin.xml", Query: "/"},
		{Document: "a.xml", Query: "1 to 200000000"},
		{Document: strings.Repeat("<a>", 20), Query: "/"},
		{Document: "<!DOCTYPE a [<!ENTITY e SYSTEM 'x'>]><a/>", Query: "/"},
	} {
		want, wantErr := here.Query(t.Context(), q)
		got, gotErr := there.Query(t.Context(), q)
		same(t, fmt.Sprint(q), got, gotErr, want, wantErr)
	}
	for _, v := range []document.ValidateRequest{
		{Document: "a.xml", Schema: schema(`<xs:element name="a"/>`)},
		{Document: "a.xml", Schema: schema(`<xs:element name="c"/>`)},
		{Document: "a.xml", Schema: schema(`<xs:element/>`)},
		{Document: "a.xml", Schema: schema(`<xs:include schemaLocation="x"/><xs:element name="a"/>`)},
	} {
		want, wantErr := here.Validate(t.Context(), v)
		got, gotErr := there.Validate(t.Context(), v)
		same(t, v.Schema, got, gotErr, want, wantErr)
	}
	told := 0
	preload := document.PreloadRequest{Paths: []string{"*.xml", "gone"}}
	want, wantErr := here.Preload(t.Context(), preload, nil)
	got, gotErr := there.Preload(t.Context(), preload, func(int, int, string) { told++ })
	same(t, "preload", got, gotErr, want, wantErr)
	if told != 4 {
		t.Errorf("progress was told %d times, want 4", told)
	}
	stats, err := there.Stats(t.Context())
	same(t, "stats", stats, err, here.Stats(), nil)
	if there.Starts() != 1 {
		t.Errorf("there were %d processes, want 1", there.Starts())
	}
}

func same[T any](t *testing.T, what string, got T, gotErr error, want T, wantErr error) {
	t.Helper()
	ages := cmp.Options{
		cmpopts.IgnoreFields(document.CachedDocument{}, "Age"), cmpopts.IgnoreFields(document.PreloadReport{}, "Took"),
		cmpopts.IgnoreFields(document.LimitError{}, "Elapsed"), cmpopts.EquateEmpty(),
	}
	if diff := cmp.Diff(want, got, ages); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", what, diff)
	}
	if diff := cmp.Diff(wantErr, gotErr, ages); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", what, diff)
	}
}

// works asks a simple question.
func works(t *testing.T, r *isolate.Remote) {
	t.Helper()
	got, err := r.Query(t.Context(), document.QueryRequest{Document: "<a>t</a>", Query: "string(/)"})
	if err != nil || got.Items[0].Value != "t" {
		t.Errorf("got %v, %v, want t", got, err)
	}
}

// A query that takes gigabytes in one step, which nothing interrupts, takes its
// process along and nothing else.
func TestMemory(t *testing.T) {
	r := remote(t, document.Config{MaxMemory: 64 << 20, QueryMemory: 64 << 20, CacheBytes: 1 << 20, MaxTime: 20 * time.Second}, 1<<30)
	works(t, r)
	text := "<a>" + strings.Repeat("x", 4<<20) + "</a>"
	_, err := r.Query(t.Context(), document.QueryRequest{Document: text, Query: "let $d := (/) return count(data((1 to 100000) ! $d))"})
	if err == nil {
		t.Error("the query found 400 GB")
	}
	t.Log(err)
	works(t, r)
	if n := r.Starts(); n != 2 {
		t.Errorf("there were %d processes, want 2", n)
	}
	// On a slow machine the query is given up before it has the process killed.
	_, died := errors.AsType[*document.EngineError](err)
	if stats, err := r.Stats(t.Context()); err != nil || stats.Restarts != 1 || died && stats.Lost != 1 {
		t.Errorf("got %+v, %v, want one restart, with a loss if the process died (%v)", stats, err, died)
	}
}

// Work that was given up ends with its process, once the other requests there
// are answered.
func TestWorkThatIsGivenUp(t *testing.T) {
	r := remote(t, document.Config{MaxTime: 500 * time.Millisecond}, 0)
	for range 2 {
		giveUp(t, r)
	}
	if n := r.Starts(); n != 3 {
		t.Errorf("there were %d processes, want one for each that was given up and one that waits", n)
	}
}

// A request that is given up ends its process, and the next process has in its cache
// what that had, schemas included.
func TestCacheIsHandedOver(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"large.xml": "<a>" + strings.Repeat("<b>x</b>", 10_000) + "</a>", "small.xml": "<a/>",
		"a.xsd": `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a"/></xs:schema>`,
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := remote(t, document.Config{Roots: []string{dir}, MaxTime: 3 * time.Second}, 0)
	for _, name := range []string{"large.xml", "small.xml"} {
		if _, err := r.Validate(t.Context(), document.ValidateRequest{Document: name, Schema: "a.xsd"}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Query(t.Context(), document.QueryRequest{Document: name, Query: "/a"}); err != nil {
			t.Fatal(err)
		}
	}
	before, err := r.Stats(t.Context())
	if err != nil || before.Entries != 3 {
		t.Fatalf("got %+v, %v, want 3 entries", before, err)
	}
	giveUp(t, r)
	var after document.Stats
	for start := time.Now(); after.Entries != 3 && time.Since(start) < time.Minute; time.Sleep(10 * time.Millisecond) {
		if after, err = r.Stats(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if after.Entries != 3 || after.Bytes != before.Bytes || after.Restarts != 1 || after.Lost != 0 {
		t.Errorf("got %+v, want the cache of %+v, one restart and no loss", after, before)
	}
}

// giveUp asks for a validation that takes more processor time than it may, 1 s at most.
func giveUp(t *testing.T, r *isolate.Remote) {
	t.Helper()
	schema := `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:vc="http://www.w3.org/2007/XMLSchema-versioning" vc:minVersion="1.1"><xs:element name="r"><xs:complexType><xs:sequence maxOccurs="1000"><xs:element name="a" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element></xs:schema>`
	text := "<r>" + strings.Repeat("<a/>", 3000) + "<b/></r>"
	_, err := r.Validate(t.Context(), document.ValidateRequest{Document: text, Schema: schema})
	if _, ok := errors.AsType[*document.LimitError](err); !ok {
		t.Fatalf("got %v, want a LimitError", err)
	}
}

// Requests get an error when their process is killed or the library closed, and
// the caller who leaves gets the reason.
func TestEnds(t *testing.T) {
	r := remote(t, document.Config{}, 0)
	works(t, r)
	slow := document.QueryRequest{Document: "<a>" + strings.Repeat("<b/>", 3000) + "</a>", Query: "count(//b[count(//b[count(//b) > 3]) > 2])"}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := r.Query(ctx, slow); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	works(t, r)
	if n := r.Starts(); n != 1 {
		t.Errorf("there were %d processes, want 1: the query respects its caller", n)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, err := r.Query(t.Context(), slow)
			if _, ok := errors.AsType[*document.EngineError](err); !ok {
				t.Errorf("got %v, want an EngineError", err)
			}
		})
	}
	time.AfterFunc(200*time.Millisecond, func() { _ = r.Close() })
	wg.Wait()
	if _, err := r.Query(t.Context(), slow); err == nil {
		t.Error("a closed library answers")
	}
}

// The first question after the process was killed while it was idle is answered.
func TestKilledWhileIdle(t *testing.T) {
	r := remote(t, document.Config{}, 0)
	for range 20 {
		works(t, r)
		r.Kill()
	}
	works(t, r)
	if n := r.Starts(); n != 21 {
		t.Errorf("there were %d processes, want 21", n)
	}
}

// What a process writes to standard error, as the runtime does when it crashes, is a line of
// the log, whose format may be JSON.
func TestComplaintsAreLogged(t *testing.T) {
	var log bytes.Buffer
	r := isolate.New([]string{"/bin/sh", "-c", "echo 'fatal error: out of memory' >&2"}, document.Config{}, 0, slog.New(slog.NewJSONHandler(&log, nil)))
	_, err := r.Query(t.Context(), document.QueryRequest{Document: "<a/>", Query: "/"})
	_ = r.Close() // it gives no error
	if err == nil || !strings.Contains(log.String(), `"level":"WARN"`) || !strings.Contains(log.String(), `"text":"fatal error: out of memory"`) {
		t.Errorf("the question gives %v, and the log is %s", err, &log)
	}
}

func TestNoCommand(t *testing.T) {
	r := isolate.New([]string{filepath.Join(t.TempDir(), "gone")}, document.Config{}, 0, quiet())
	_, err := r.Query(t.Context(), document.QueryRequest{Document: "<a/>", Query: "/"})
	if _, ok := errors.AsType[*document.EngineError](err); !ok {
		t.Errorf("got %v, want an EngineError", err)
	}
}
