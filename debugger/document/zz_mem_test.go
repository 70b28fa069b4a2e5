package document

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"testing"
)

func TestZZMem(t *testing.T) {
	if os.Getenv("MEM") == "" {
		t.Skip()
	}
	dir := t.TempDir()
	for i := range 2000 {
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("d%d.xml", i)), []byte(fmt.Sprintf("<a><b>%d</b></a>", i)), 0o644)
	}
	lib, err := Open(Config{Roots: []string{dir}}, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	for i := range 2000 {
		if os.Getenv("MEM") == "q" {
			lib.Query(context.Background(), QueryRequest{Document: fmt.Sprintf("d%d.xml", i), Query: "/a/b"})
		} else {
			lib.Preload(context.Background(), PreloadRequest{Paths: []string{fmt.Sprintf("d%d.xml", i)}}, nil)
		}
	}
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&b)
	fmt.Println("per doc heap", (b.HeapAlloc-a.HeapAlloc)/2000, "sys", (b.Sys-a.Sys)/2000, "cache says", lib.Stats().Bytes/2000, "total alloc", (b.TotalAlloc-a.TotalAlloc)/2000)
	f, _ := os.Create("/tmp/xb/heap.prof")
	pprof.WriteHeapProfile(f)
	f.Close()
	lib.Stats()
}
