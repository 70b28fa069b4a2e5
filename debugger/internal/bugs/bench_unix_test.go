//go:build unix

package bugs_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

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
// lines/s what the first reads. The column cpu-s is processor time, which other
// work on the machine does not change much.
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
		defer reportProcessorTime(b)()
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
		defer reportProcessorTime(b)()
		for b.Loop() {
			search(b, f)
		}
	})
}

// reportProcessorTime begins to measure; what it returns ends that.
func reportProcessorTime(b *testing.B) func() {
	b.Helper()
	taken := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
			b.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	began := taken()
	return func() { b.ReportMetric((taken()-began).Seconds()/float64(b.N), "cpu-s") }
}
