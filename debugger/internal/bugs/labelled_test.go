package bugs_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

// A corpus is real code of one language. Functions of some of its files are taken
// for bugs and copied, and the copies hide in the other files: which
// findings are right is known without anybody's opinion.
type corpus struct {
	lang    string
	roots   []string
	endings []string
	filler  []string
	// function matches a whole function that begins and ends at the margin.
	function *regexp.Regexp
}

// corpora are Go's own sources, and the C sources below the folders that
// BUGS_SOURCES lists: packages of Debian, unpacked.
func corpora() []corpus {
	return []corpus{
		{
			lang: "go", roots: []string{goSources()}, endings: []string{".go"},
			filler:   seeds[0].filler,
			function: regexp.MustCompile(`(?m)^func .*\{\n(?:(?:[\t ].*)?\n){13,38}\}\n`),
		},
		{
			lang: "c", roots: filepath.SplitList(os.Getenv("BUGS_SOURCES")), endings: []string{".c", ".h"},
			filler:   seeds[2].filler,
			function: regexp.MustCompile(`(?m)^[a-zA-Z_][^\n;{}]*\n(?:[a-zA-Z_ \t][^\n{}]*\n){0,4}\{\n(?:(?:[\t #].*|[a-z_]+:)?\n){13,38}\}\n`),
		},
	}
}

// functionsTaken is the number of functions of a corpus that are copied, ten times each.
const functionsTaken = 20

// files returns the files of a corpus in a random order that is the same each time.
func (c corpus) files() []string {
	var all []string
	for _, root := range c.roots {
		for _, ending := range c.endings {
			all = append(all, sourcesBelow(root, ending)...)
		}
	}
	rand.New(rand.NewPCG(3, 4)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// take makes seeds of functions, at most one of a file. It returns the files that
// it did not come to.
func (c corpus) take(t testing.TB, files []string) (taken []seed, rest []string) {
	t.Helper()
	for i, path := range files {
		if len(taken) == functionsTaken {
			return taken, files[i:]
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := c.seedOf(string(c.function.Find(text))); ok {
			taken = append(taken, s)
		}
	}
	return taken, nil
}

var (
	identifier = regexp.MustCompile(`[a-zA-Z_][a-zA-Z0-9_]{2,}`)
	access     = regexp.MustCompile(`\w(->|\[|\.)\w`)
)

// reserved are words that a copy cannot change.
var reserved = strings.Fields(`append auto bool break byte case chan char const continue copy default defer
	define double elif else endif enum error extern fallthrough false fprintf float for func goto ifdef ifndef import int
	interface len long make map memcpy new nil NULL package panic printf range register return select short signed sizeof
	static string strlen struct switch true type typedef uint8 uint32 uint64 int64 union unsigned var void while`)

// seedOf makes a function a bug at its last access to something.
func (c corpus) seedOf(code string) (seed, bool) {
	s := seed{lang: c.lang, ending: c.endings[0], code: code, filler: c.filler}
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); access.MatchString(line) && strings.Count(code, line) == 1 {
			s.mark = line
		}
	}
	for _, name := range identifier.FindAllString(code, -1) {
		if len(s.names) < 8 && !slices.Contains(reserved, name) && !slices.Contains(s.names, name) && strings.Count(code, name) > 1 {
			s.names = append(s.names, name)
		}
	}
	return s, s.mark != "" && len(s.names) >= 4
}

// benchLines is the number of lines that the benchmarks search, a hundred thousand unless
// BUGS_BENCH_LINES says otherwise.
func benchLines() int {
	if n, err := strconv.Atoi(os.Getenv("BUGS_BENCH_LINES")); err == nil {
		return n
	}
	return 100_000
}

// BenchmarkLabelled is a search among real code for copies of real code. It says
// how many of the ten copies are among the first ten findings (recall), and how
// many of the findings are copies (precision).
func BenchmarkLabelled(b *testing.B) {
	for _, c := range corpora() {
		taken, rest := c.take(b, c.files())
		for _, m := range mutants {
			b.Run(c.lang+"/"+m.name, func(b *testing.B) {
				if len(taken) < functionsTaken {
					b.Skipf("only %d functions to copy; BUGS_SOURCES lists folders with C", len(taken))
				}
				folder := b.TempDir()
				copySources(b, folder, rest, benchLines())
				recall, precision := quality(b, folder, taken, m)
				measureQueries(b, folder, taken)
				b.ReportMetric(recall, "recall@10")
				b.ReportMetric(precision, "precision@10")
			})
		}
	}
}

// measureQueries measures a search of a tree that was read before.
func measureQueries(b *testing.B, folder string, taken []seed) {
	b.Helper()
	f := finder(b, bugs.Config{MaxScan: time.Hour})
	req := bugs.Request{Path: folder, Site: bugs.Site{File: "site0" + taken[0].ending, Line: lineOf(b, taken[0].code, taken[0].mark)}}
	find(b, f, req)
	for b.Loop() {
		find(b, f, req)
	}
}
