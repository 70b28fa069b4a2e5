package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
	"github.com/triptych-mcp/triptych/conformance/bench/load"
)

// drawSoak writes what a soak has seen into the page, as a table and as plots.
func drawSoak(file, docs string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var intervals []load.Interval
	if err := json.Unmarshal(text, &intervals); err != nil {
		return err
	}
	if len(intervals) == 0 {
		return fmt.Errorf("%s has no intervals", file)
	}
	memory := plot{File: "soak-memory.svg", Title: "Soak: memory", X: "minutes", Y: "resident memory, MiB"}
	latency := plot{File: "soak-latency.svg", Title: "Soak: latency, 16 in flight", X: "minutes", Y: "time of a request, µs", LogY: true}
	conns := byTransport(intervals)
	for _, r := range conns {
		name := r[0].Conn
		memory.Lines = append(memory.Lines, lineOf(name, r, mebibytes))
		latency.Lines = append(latency.Lines, lineOf(name+", half of them within", r, p50), lineOf(name+", 99 of 100 within", r, p99))
	}
	for _, p := range []*plot{&memory, &latency} {
		if err := p.save(docs); err != nil {
			return err
		}
	}
	return putSoak(docs, soakText(conns, memory, latency))
}

func mebibytes(m load.Interval) float64 { return float64(m.RSS) / (1 << 20) }
func p50(m load.Interval) float64       { return m.P50 }
func p99(m load.Interval) float64       { return m.P99 }

// byTransport groups intervals by connection, in the order of first appearance.
func byTransport(intervals []load.Interval) [][]load.Interval {
	var conns [][]load.Interval
	at := map[string]int{}
	for _, m := range intervals {
		if _, known := at[m.Conn]; !known {
			at[m.Conn] = len(conns)
			conns = append(conns, nil)
		}
		conns[at[m.Conn]] = append(conns[at[m.Conn]], m)
	}
	return conns
}

func lineOf(name string, intervals []load.Interval, y func(load.Interval) float64) line {
	l := line{Name: name}
	for _, m := range intervals {
		l.Points = append(l.Points, [2]float64{m.Seconds / 60, y(m)})
	}
	return l
}

// soakText is the part of the page. It compares the second quarter, for in the
// first one a program warms up, with the last.
func soakText(conns [][]load.Interval, plots ...plot) string {
	var b strings.Builder
	last := conns[0][len(conns[0])-1]
	fmt.Fprintf(&b, `The whole program kept busy over both transports at once for %v: six reading calls
of every kind in turn, 16 in flight, over the pipe also changes of a ruleset; over
HTTPS with the audit trail, which over the pipe is off because it would fill the
disk. The driver takes its part of the two cores.

| conn | requests | | requests a second | p50 | p99 | CPU each | memory | files | threads |
| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
`, time.Duration(last.Seconds*float64(time.Second)).Round(time.Second))
	for _, r := range conns {
		n := 0
		for _, m := range r {
			n += m.N
		}
		fmt.Fprintf(&b, "| %s | %s | second quarter | %s |\n", r[0].Conn, amount(n), quarter(r[len(r)/4:max(len(r)/2, len(r)/4+1)]))
		fmt.Fprintf(&b, "| | | last quarter | %s |\n", quarter(r[len(r)*3/4:]))
	}
	for _, p := range plots {
		fmt.Fprintf(&b, "\n![%s](%s)\n", p.Title, prefix+p.File)
	}
	return b.String()
}

// quarter is the medians of a quarter, as the columns of the table.
func quarter(list []load.Interval) string {
	of := func(f func(load.Interval) float64) float64 { return figures.Median(each(list, f)) }
	return strings.Join([]string{
		fmt.Sprintf("%.0f", of(func(m load.Interval) float64 { return m.Rate })),
		duration(of(p50)), duration(of(p99)),
		duration(of(func(m load.Interval) float64 { return m.CPU })),
		figures.Bytes(of(func(m load.Interval) float64 { return float64(m.RSS) })),
		fmt.Sprintf("%.0f", of(func(m load.Interval) float64 { return float64(m.FDs) })),
		fmt.Sprintf("%.0f", of(func(m load.Interval) float64 { return float64(m.Threads) })),
	}, " | ")
}

// putSoak replaces the part of the page that a soak has written.
func putSoak(docs, text string) error {
	path := filepath.Join(docs, page)
	old := contents(path)
	part := kept(docs)
	if !strings.Contains(old, part) {
		return fmt.Errorf("%s has no place for a soak: make bench-peers writes it", path)
	}
	text = soakBegins + "\n" + text + soakEnds
	return os.WriteFile(path, []byte(strings.Replace(old, part, text, 1)), 0o644)
}
