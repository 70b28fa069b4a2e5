package document_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/document"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// smallDocuments writes n documents of a few hundred bytes, a thousand to a folder.
func smallDocuments(tb testing.TB, n int) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range n {
		folder := filepath.Join(dir, strconv.Itoa(i/1000))
		if i%1000 == 0 {
			if err := os.Mkdir(folder, 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		text := fmt.Sprintf("<order id='%d'>%s</order>", i, strings.Repeat("<line sku='A-17' count='3'>text</line>", i%12))
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.xml", i)), []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// BenchmarkEntries queries one document of many that are in the cache, and reports what it
// took to preload them.
func BenchmarkEntries(b *testing.B) {
	for _, n := range []int{100, 10_000, 100_000} {
		for _, budget := range []int64{1 << 30, 64 << 20} {
			b.Run(fmt.Sprintf("%d/%dMiB", n, budget>>20), func(b *testing.B) {
				dir := smallDocuments(b, n)
				lib := open(b, document.Config{Roots: []string{dir}, CacheBytes: budget})
				root(b, lib, "0/0.xml")
				debug.FreeOSMemory()
				before, start := residentBytes(b), processorTime(b)
				if _, err := lib.Preload(b.Context(), document.PreloadRequest{Paths: []string{"**/*.xml"}}, nil); err != nil {
					b.Fatal(err)
				}
				took := processorTime(b) - start
				debug.FreeOSMemory()
				stats, resident := lib.Stats(), residentBytes(b)-before
				start = processorTime(b)
				for b.Loop() {
					if _, err := lib.Query(b.Context(), document.QueryRequest{Document: "0/99.xml", Query: "string(/order/@id)"}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64((processorTime(b)-start).Microseconds())/float64(b.N), "cpu-µs/op")
				b.ReportMetric(took.Seconds(), "cpu-s-preload")
				b.ReportMetric(float64(resident)/(1<<20), "MiB-resident")
				b.ReportMetric(float64(stats.Bytes)/(1<<20), "MiB-said")
				b.ReportMetric(float64(stats.Entries), "entries")
			})
		}
	}
}

// The cache reports how much memory of the process it takes, within a fifth: for many
// small documents, whose texts are kept, and for a large one, whose tree is kept. The
// process does nothing else.
func TestResidentMemory(t *testing.T) {
	const variable = "DOCUMENT_RESIDENT"
	if dir := os.Getenv(variable); dir != "" {
		fillCache(t, dir)
		return
	}
	if sample.Race {
		t.Skip("the race detector takes memory for itself")
	}
	dir := t.TempDir()
	for i := range 2000 {
		write(t, dir, map[string]string{fmt.Sprintf("small%d.xml", i): "<a>" + strings.Repeat("<b>text</b>", 700) + "</a>"})
	}
	write(t, dir, map[string]string{"large.xml": "<a>" + strings.Repeat("<b c='d'>text</b>", 50_000) + "</a>", "first.xml": "<a/>"})
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// fillCache preloads the documents of a folder and compares the growth of this process with
// what the cache reports.
func fillCache(t *testing.T, dir string) {
	lib := open(t, document.Config{Roots: []string{dir}})
	root(t, lib, "first.xml")
	debug.FreeOSMemory()
	before := residentBytes(t)
	for _, pattern := range []string{"small*.xml", "large.xml"} {
		if _, err := lib.Preload(t.Context(), document.PreloadRequest{Paths: []string{pattern}}, nil); err != nil {
			t.Fatal(err)
		}
		debug.FreeOSMemory()
		grown, said := residentBytes(t)-before, lib.Stats().Bytes
		t.Logf("%s: grown by %d KiB, said %d KiB", pattern, grown>>10, said>>10)
		if said < grown*4/5 || said > grown*6/5 {
			t.Errorf("%s: the process has grown by %d KiB, and the cache says %d KiB", pattern, grown>>10, said>>10)
		}
	}
}

// residentBytes returns how much memory of this process is resident, without that of files.
func residentBytes(tb testing.TB) int64 {
	tb.Helper()
	text, err := os.ReadFile("/proc/self/status")
	_, rest, found := strings.Cut(string(text), "RssAnon:")
	if err != nil || !found {
		tb.Skipf("the resident memory is not known here: %v", err)
	}
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return kib << 10
}

// processorTime returns how much processor time this process has taken.
func processorTime(tb testing.TB) time.Duration {
	tb.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
