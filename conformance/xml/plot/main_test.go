package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// printed is the benchmark's output for two sizes.
const printed = `goos: linux
BenchmarkSize/1MB/query/cached-2      3  50 ns/op  17.5 MB-mem  0.5 cpu-s  7 B/op  1 allocs/op
BenchmarkSize/1MB/query/process-2     3  50 ns/op  1 MB-mem  1.25 cpu-s
BenchmarkSize/1MB/query/xmllint-2     3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/1MB/validate/cached-2   3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/1MB/validate/process-2  3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/1MB/validate/xmllint-2  3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/10MB/query/cached-2     3  50 ns/op  170 MB-mem  4 cpu-s
BenchmarkSize/10MB/query/process-2    3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/10MB/query/xmllint-2    3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/10MB/validate/cached-2  3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/10MB/validate/process-2 3  50 ns/op  1 MB-mem  1 cpu-s
BenchmarkSize/10MB/validate/xmllint-2 3  50 ns/op  1 MB-mem  0.25 cpu-s
PASS
`

func TestTable(t *testing.T) {
	found := all()
	var out strings.Builder
	if err := errors.Join(read(strings.NewReader(printed), found), writeTable(&out, found)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| file | query, library | query, process | xmllint --xpath |",
		"\n| 1 MB | 0.5 s, 18 MB | 1.2 s, 1 MB |", "\n| 10 MB | 4 s, 170 MB |", "| 0.25 s, 1 MB |\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%swant it to have %q", out.String(), want)
		}
	}
}

// The picture is XML, and the largest values are at the upper end of the scales.
func TestDraw(t *testing.T) {
	found := all()
	var out bytes.Buffer
	if err := errors.Join(read(strings.NewReader(printed), found), draw(&out, found)); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for decoder := xml.NewDecoder(&out); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	// 10 of 32 MB, and 4 of 4 seconds.
	if want := `188.8,40.0`; !strings.Contains(text, want) {
		t.Errorf("got\n%s\nwant a point at %s", text, want)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, text := range []string{
		"", strings.Replace(printed, "10MB/query/xmllint", "10MB/query/xmlstar", 1),
		"BenchmarkSize/1MB/query/cached-2 3 50 ns/op 1 MB-mem 1 cpu-s\n",
	} {
		if err := read(strings.NewReader(text), all()); err == nil {
			t.Errorf("%.60q: got no error", text)
		}
	}
}
