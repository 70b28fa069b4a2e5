// Plot makes a picture, or with -table a Markdown table, of what BenchmarkSize
// prints: time and memory against the size of a document.
//
//	go test -run '^$' -bench Size ./conformance/xml > sizes.txt
//	go run ./conformance/xml/plot < sizes.txt > docs/documents.svg
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
)

// A point is one measurement.
type point struct {
	size    float64 // of the document in MB
	seconds float64 // of processor time
	memory  float64 // in MB
}

// A series holds the measurements of one kind, the smallest document first.
type series struct {
	key    string // as the benchmark has it
	label  string
	colour string
	dashed bool
	points []point
}

// all are the series in the order of the legend. Colours are told apart by those
// who do not see all of them (Okabe and Ito), and processes of xmllint are dashed.
func all() []*series {
	return []*series{
		{key: "query/cached", label: "query, library", colour: "#0072b2"},
		{key: "query/process", label: "query, process", colour: "#56b4e9"},
		{key: "query/xmllint", label: "xmllint --xpath", colour: "#009e73", dashed: true},
		{key: "validate/cached", label: "validation, library", colour: "#d55e00"},
		{key: "validate/process", label: "validation, process", colour: "#e69f00"},
		{key: "validate/xmllint", label: "xmllint --schema", colour: "#cc79a7", dashed: true},
	}
}

func main() {
	asTable := flag.Bool("table", false, "print a Markdown table")
	flag.Parse()
	found := all()
	err := read(os.Stdin, found)
	switch {
	case err != nil:
	case *asTable:
		err = writeTable(os.Stdout, found)
	default:
		err = draw(os.Stdout, found)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

var line = regexp.MustCompile(`^BenchmarkSize/(\d+)MB/([a-z]+/[a-z]+)\S*\s+\d+\s+\S+ ns/op\s+(\S+) MB-mem\s+(\S+) cpu-s`)

// read takes the lines of a benchmark. Each series must have a point.
func read(in io.Reader, found []*series) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		m := line.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		i := slices.IndexFunc(found, func(s *series) bool { return s.key == m[2] })
		if i < 0 {
			return fmt.Errorf("unknown series %s", m[2])
		}
		p := point{size: number(m[1]), memory: number(m[3]), seconds: number(m[4])}
		found[i].points = append(found[i].points, p)
	}
	for _, s := range found {
		if len(s.points) == 0 {
			return fmt.Errorf("no measurement of %s", s.key)
		}
	}
	return lines.Err()
}

// number parses a number of the benchmark's output; malformed text is 0.
func number(text string) float64 {
	n, _ := strconv.ParseFloat(text, 64)
	return n
}

// writeTable prints time and memory of each size, a row a size.
func writeTable(out io.Writer, found []*series) error {
	w := &bytes.Buffer{}
	fmt.Fprint(w, "| file |")
	for _, s := range found {
		fmt.Fprintf(w, " %s |", s.label)
	}
	fmt.Fprint(w, "\n|---|")
	for range found {
		fmt.Fprint(w, "---|")
	}
	for i, p := range found[0].points {
		fmt.Fprintf(w, "\n| %.0f MB |", p.size)
		for _, s := range found {
			fmt.Fprintf(w, " %s s, %.0f MB |", strconv.FormatFloat(s.points[i].seconds, 'g', 2, 64), s.points[i].memory)
		}
	}
	fmt.Fprintln(w)
	_, err := w.WriteTo(out)
	return err
}
