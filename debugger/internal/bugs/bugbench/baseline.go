package main

import (
	"cmp"
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// A corpus is the words of a tree, line by line, for the baselines.
type corpus struct {
	dir   string
	names []string
	files map[string][][]string // words of the lines, by name; read when first asked for
	patch []bugs.Hunk           // the change of the place that is asked about
}

func newCorpus(dir string, names []string) *corpus {
	return &corpus{dir: dir, names: names}
}

var identifier = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]+`)

// lines returns the words of all files.
func (c *corpus) lines() map[string][][]string {
	if c.files != nil {
		return c.files
	}
	c.files = map[string][][]string{}
	for _, name := range c.names {
		text, err := os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(name)))
		if err != nil || len(text) > 1<<20 {
			continue
		}
		var lines [][]string
		for line := range strings.Lines(string(text)) {
			lines = append(lines, identifier.FindAllString(line, -1))
		}
		c.files[name] = lines
	}
	return c.files
}

// around returns the words of the lines around a place.
func (c *corpus) around(p place, lines int) []string {
	all := c.lines()[p.file]
	low := max(0, p.line-1-lines/2)
	return slices.Concat(all[min(low, len(all)):min(len(all), low+lines)]...)
}

// A window is a part of a file with its score.
type window struct {
	place
	score float64
}

// bm25 ranks windows of so many lines by the words of the one around the query, with
// the usual k1 of 1.2 and b of 0.75.
func bm25(size int) func(context.Context, *corpus, place) ([]place, error) {
	return func(_ context.Context, c *corpus, query place) ([]place, error) {
		terms := map[string]bool{}
		for _, w := range c.around(query, size) {
			terms[w] = true
		}
		windows, frequency, length := 0, map[string]int{}, 0
		type counted struct {
			place
			length int
			counts map[string]int
		}
		var found []counted
		for _, name := range c.names {
			lines := c.files[name]
			for at := 0; at < len(lines); at += max(1, size/2) {
				w := counted{place: place{name, at + 1 + size/2}}
				for _, words := range lines[at:min(len(lines), at+size)] {
					w.length += len(words)
					for _, word := range words {
						if terms[word] {
							if w.counts == nil {
								w.counts = map[string]int{}
							}
							w.counts[word]++
						}
					}
				}
				windows++
				length += w.length
				for word := range w.counts {
					frequency[word]++
				}
				if w.counts != nil {
					found = append(found, w)
				}
			}
		}
		average := float64(length) / float64(max(1, windows))
		var all []window
		for _, w := range found {
			s := 0.0
			for word, n := range w.counts {
				idf := math.Log(1 + (float64(windows-frequency[word])+0.5)/(float64(frequency[word])+0.5))
				s += idf * float64(n) * 2.2 / (float64(n) + 1.2*(0.25+0.75*float64(w.length)/average))
			}
			all = append(all, window{w.place, s})
		}
		return best(all, query, size), nil
	}
}

// best returns the places of the highest scores, without the query and each once.
func best(all []window, query place, size int) []place {
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(b.score, a.score) })
	var kept []place
	for _, w := range all {
		taken := slices.ContainsFunc(append(kept, query), func(p place) bool {
			return p.file == w.file && max(p.line, w.line)-min(p.line, w.line) <= size
		})
		if !taken {
			kept = append(kept, w.place)
		}
		if len(kept) == shown {
			break
		}
	}
	return kept
}

// grepRarest ranks lines by how many of the five rarest words around the query they
// have.
func grepRarest(_ context.Context, c *corpus, query place) ([]place, error) {
	count := map[string]int{}
	for _, w := range c.around(query, 3) {
		count[w] = 0
	}
	for _, name := range c.names {
		for _, words := range c.files[name] {
			for _, w := range words {
				if _, ok := count[w]; ok {
					count[w]++
				}
			}
		}
	}
	var rare []string
	for w := range count {
		rare = append(rare, w)
	}
	slices.SortFunc(rare, func(a, b string) int { return cmp.Or(cmp.Compare(count[a], count[b]), cmp.Compare(a, b)) })
	rare = rare[:min(5, len(rare))]
	var all []window
	for _, name := range c.names {
		for i, words := range c.files[name] {
			n := 0.0
			for _, w := range rare {
				if slices.Contains(words, w) {
					n += 1 / float64(count[w])
				}
			}
			if n > 0 {
				all = append(all, window{place{name, i + 1}, n})
			}
		}
	}
	return best(all, query, apart), nil
}
