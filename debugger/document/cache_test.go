package document_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// root is the text of a document's root element.
func root(t testing.TB, lib *document.Library, path string) string {
	t.Helper()
	got, err := lib.Query(t.Context(), document.QueryRequest{Document: path, Query: "string(/*)"})
	if err != nil {
		t.Fatal(err)
	}
	return got.Items[0].Value
}

// A change must show at once, however little it changes of a file's size and
// times.
func TestNeverStale(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.xml")
	lib := open(t, document.Config{Roots: []string{dir}})
	when := time.Now().Add(-time.Hour)
	overwrite := func(text string) { write(t, dir, map[string]string{"a.xml": text}) }
	sameTime := func(text string) {
		overwrite(text)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(text string) {
		write(t, dir, map[string]string{"new": text})
		if err := os.Rename(filepath.Join(dir, "new"), path); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		change := []func(string){overwrite, sameTime, replace}[i%3]
		want := fmt.Sprintf("%04d", i)
		change("<a>" + want + "</a>")
		for range 2 {
			if got := root(t, lib, "a.xml"); got != want {
				t.Fatalf("change %d: got %s, want %s", i, got, want)
			}
		}
	}
	if s := lib.Stats(); s.Misses != 60 || s.Hits != 60 || s.Entries != 1 || s.HitRatio != 0.5 {
		t.Errorf("got %+v, want 60 misses, 60 hits, 1 entry", s)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got, err := lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "/"}); err == nil {
		t.Errorf("got %v of a file that is gone", got)
	}
}

// Of what does not fit, what was not used for longest goes.
func TestEviction(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c", "d"} {
		write(t, dir, map[string]string{name: "<x>" + strings.Repeat("<y/>", 5000) + "</x>"})
	}
	write(t, dir, map[string]string{"big": "<x>" + strings.Repeat("<y/>", 20_000) + "</x>"})
	// One takes 5001 elements of 240 bytes in slabs of 256: 3 fit, 4 do not.
	lib := open(t, document.Config{Roots: []string{dir}, CacheBytes: 4_000_000})
	for _, name := range []string{"a", "b", "c", "a", "d", "a", "big", "b"} {
		root(t, lib, name)
	}
	got := lib.Stats()
	want := document.Stats{
		Hits: 2, Misses: 6, Evictions: 2, Entries: 3, Bytes: 3 * got.Documents[0].Bytes, Budget: 4_000_000, HitRatio: 0.25,
		Documents: []document.CachedDocument{
			{Path: filepath.Join(dir, "a"), Kind: "document", Hits: 2},
			{Path: filepath.Join(dir, "b"), Kind: "document"},
			{Path: filepath.Join(dir, "d"), Kind: "document"},
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(document.CachedDocument{}, "Age", "Bytes")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if age := got.Documents[0].Age; age <= 0 || age > time.Minute {
		t.Errorf("the age is %v", age)
	}
}

// The cache reports the memory that it really takes, with a thousand small documents
// too, and as many are kept as the budget has room for.
func TestSmallDocumentsAreCounted(t *testing.T) {
	const n = 3000
	dir := t.TempDir()
	for i := range n {
		write(t, dir, map[string]string{fmt.Sprintf("d%d.xml", i): fmt.Sprintf("<a><b x='%d'>text</b></a>", i)})
	}
	var lib *document.Library
	preload := func(pattern string) {
		if _, err := lib.Preload(t.Context(), document.PreloadRequest{Paths: []string{pattern}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	// measured returns the bytes that a new library's cache takes, and those that it says.
	measured := func() (used, said int64) {
		lib = open(t, document.Config{Roots: []string{dir}, CacheBytes: 2 << 20})
		before := liveHeap()
		preload("d1*.xml")
		return liveHeap() - before, lib.Stats().Bytes
	}
	differ := func(used, said int64) bool { return said < used*4/5 || said > used*6/5+64<<10 }
	used, said := measured()
	for n := 0; n < 5 && differ(used, said); n++ { // what earlier tests held may have been freed meanwhile
		used, said = measured()
	}
	if differ(used, said) {
		t.Errorf("the cache takes %d KB and says %d KB", used>>10, said>>10)
	}
	preload("*.xml")
	stats := lib.Stats()
	if stats.Bytes > stats.Budget || stats.Entries+int(stats.Evictions) != n || stats.Entries < 1500 || len(stats.Documents) != document.MaxListed {
		t.Errorf("got %d entries and %d evictions, %d of %d bytes, %d listed", stats.Entries, stats.Evictions, stats.Bytes, stats.Budget, len(stats.Documents))
	}
	if got := root(t, lib, "d2999.xml"); got != "text" {
		t.Errorf("got %q, want text", got)
	}
}

// liveHeap returns how many bytes of the heap are reachable.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Many who want one document at once have it parsed once.
func TestLoadedOnce(t *testing.T) {
	dir := write(t, t.TempDir(), map[string]string{
		"a.xml": "<x>" + strings.Repeat("<y/>", 1000) + "</x>",
		"a.xsd": schemaOf(`<xs:element name="x"><xs:complexType><xs:sequence><xs:element name="y" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>`),
	})
	lib := open(t, document.Config{Roots: []string{dir}})
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if _, err := lib.Validate(t.Context(), document.ValidateRequest{Document: "a.xml", Schema: "a.xsd"}); err != nil {
				t.Error(err)
			}
			for _, version := range []string{"1.0", "3.1"} {
				got, err := lib.Query(t.Context(), document.QueryRequest{Document: "a.xml", Query: "count(//y[position() > 1] | //x)", Version: version})
				if err != nil || got.Items[0].Value != "1000" {
					t.Errorf("got %v %v, want 1000", got, err)
				}
			}
		})
	}
	wg.Wait()
	// A validation reads the document itself.
	if s := lib.Stats(); s.Misses != 2 || s.Hits != 30*3-2 {
		t.Errorf("got %d misses and %d hits, want 2 and 88", s.Misses, s.Hits)
	}
}
