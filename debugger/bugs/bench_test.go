package bugs_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/bugs"
)

// benchLines is how many lines the benchmarks search, a hundred thousand unless
// BUGS_BENCH_LINES says otherwise.
func benchLines() int {
	if n, err := strconv.Atoi(os.Getenv("BUGS_BENCH_LINES")); err == nil {
		return n
	}
	return 100_000
}

// benchTree is a folder with much code and one bug in it.
func benchTree(b *testing.B) (folder string, req bugs.Request) {
	b.Helper()
	folder = b.TempDir()
	haystack(b, folder, benchLines())
	s := seeds[2]
	put(b, filepath.Join(folder, "site.c"), s.code)
	return folder, bugs.Request{Path: folder, Site: bugs.Site{File: "site.c", Line: lineOf(b, s.code, s.mark), Signal: "SIGSEGV"}}
}

// BenchmarkFind/read is the first search of a tree, /unchanged a later one, and
// lines/s what the first reads.
func BenchmarkFind(b *testing.B) {
	_, req := benchTree(b)
	search := func(b *testing.B, f *bugs.Finder) *bugs.Report {
		r, err := f.Find(b.Context(), req)
		if err != nil || !r.Complete {
			b.Fatalf("%v, %+v", err, r)
		}
		return r
	}
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		lines := 0
		for b.Loop() {
			f, err := bugs.New(bugs.Config{MaxScan: time.Hour})
			if err != nil {
				b.Fatal(err)
			}
			lines += search(b, f).Lines
		}
		b.ReportMetric(float64(lines)/b.Elapsed().Seconds(), "lines/s")
	})
	b.Run("unchanged", func(b *testing.B) {
		f, err := bugs.New(bugs.Config{MaxScan: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		r := search(b, f)
		b.Logf("%d files, %d lines", r.Files, r.Lines)
		b.ReportAllocs()
		for b.Loop() {
			search(b, f)
		}
	})
}
