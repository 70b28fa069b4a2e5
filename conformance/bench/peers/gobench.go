package main

import (
	"context"
	"strconv"
	"strings"
)

// A benchmark is one line that go test -bench has written.
type benchmark struct {
	name   string
	values map[string]float64 // by unit
}

// goBench runs benchmarks of a package of ours, briefly.
func (b *bench) goBench(ctx context.Context, folder, pattern string) ([]benchmark, error) {
	length := "100ms"
	if b.quick {
		length = "20ms"
	}
	out, err := run(ctx, b.root, "go", "test", "-run", "^$", "-bench", pattern, "-benchmem", "-benchtime", length, "./"+folder)
	if err != nil {
		return nil, err
	}
	return parseBench(out), nil
}

// parseBench reads lines such as
//
//	BenchmarkEcho/32B-2   1000000   1100 ns/op   32 B/op   2 allocs/op
func parseBench(out string) []benchmark {
	var list []benchmark
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		result := benchmark{name: words[0], values: map[string]float64{}}
		if cut := strings.LastIndexByte(result.name, '-'); cut > 0 { // how many processors
			result.name = result.name[:cut]
		}
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil {
				result.values[words[i+1]] = v
			}
		}
		list = append(list, result)
	}
	return list
}
