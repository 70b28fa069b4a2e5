package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// The goals of searches and lists, beside which BenchmarkMany reports what it measured:
// the 99th percentile of a search, the memory of the program after it, and a page of
// resources.
var manyGoals = []struct {
	rulesets     int
	search       time.Duration
	mebibytes    int
	resourcePage time.Duration
}{
	{10_000, 20 * time.Millisecond, 60, 10 * time.Millisecond},
	{100_000, 100 * time.Millisecond, 250, 10 * time.Millisecond},
}

// manyRevisions is the number of revisions that each ruleset of BenchmarkMany has; with 1
// there are no histories at first, as when files come from elsewhere.
func manyRevisions(b *testing.B) int {
	b.Helper()
	text := cmp.Or(os.Getenv("TRIPTYCH_BENCH_REVISIONS"), "1")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		b.Fatalf("TRIPTYCH_BENCH_REVISIONS is %q, want a number from 1", text)
	}
	return n
}

// BenchmarkMany measures searches, lists and the memory of the program over stdio, with
// many rulesets of 1.2 kB, each with as many revisions as TRIPTYCH_BENCH_REVISIONS says.
func BenchmarkMany(b *testing.B) {
	for _, store := range []struct {
		name string
		fill func(b *testing.B, data string, n int) (words []string)
	}{
		{"files", fillManyFiles},
		{"redis", fillManyHashes},
	} {
		for _, goal := range manyGoals {
			b.Run(fmt.Sprintf("%s/%d", store.name, goal.rulesets), func(b *testing.B) {
				data := b.TempDir()
				words := append(store.fill(b, data, goal.rulesets), "--families=rulesets")
				b.Run("list", func(b *testing.B) { coldLists(b, data, words) })
				p := openBench(b, data, words)
				b.Run("page", func(b *testing.B) { askMany(b, p, goal.resourcePage, pageLine) })
				b.Run("get", func(b *testing.B) {
					askMany(b, p, 0, func(i int, _ string) string {
						return callLine(i, "get_ruleset", fmt.Sprintf(`{"name":"rule_%d"}`, i*7919%goal.rulesets))
					})
				})
				b.Run("find", func(b *testing.B) {
					_, took := askOnce(b, p, findLine(0, ""))
					askMany(b, p, goal.search, findLine)
					b.ReportMetric(float64(took.Milliseconds()), "first-ms")
					b.ReportMetric(residentMebibytes(b, p), "MiB")
					b.ReportMetric(float64(goal.mebibytes), "goal-MiB")
				})
			})
		}
	}
}

// askMany asks until the benchmark ends, and reports percentiles of the time to an answer,
// beside the goal if there is one.
func askMany(b *testing.B, p *pipe, goal time.Duration, line func(i int, last string) string) {
	b.Helper()
	var all []time.Duration
	last := ""
	for i := 1; b.Loop(); i++ {
		var took time.Duration
		last, took = askOnce(b, p, line(i, last))
		all = append(all, took)
	}
	slices.Sort(all)
	b.ReportMetric(milliseconds(all[len(all)/2]), "p50-ms")
	b.ReportMetric(milliseconds(all[len(all)*99/100]), "p99-ms")
	if goal > 0 {
		b.ReportMetric(milliseconds(goal), "goal-ms")
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func askOnce(b *testing.B, p *pipe, line string) (answer string, took time.Duration) {
	b.Helper()
	began := time.Now()
	got, err := exchange(p, line)
	took = time.Since(began)
	if err != nil || !strings.Contains(got, `"result"`) || strings.Contains(got, `"isError":true`) {
		b.Fatalf("%s: got %.300s, %v", line, got, err)
	}
	return got, took
}

// nextCursor finds the cursor of the next page in an answer.
var nextCursor = regexp.MustCompile(`"nextCursor":("[^"]+")`)

// pageLine asks for the page of resources after the last one, and for the first one again
// after the end.
func pageLine(i int, last string) string {
	params := "{}"
	if found := nextCursor.FindStringSubmatch(last); found != nil {
		params = `{"cursor":` + found[1] + `}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/list","params":%s}`, i, params)
}

// coldLists measures the first answer of new processes, to list_rulesets.
func coldLists(b *testing.B, data string, words []string) {
	for b.Loop() {
		p := openBench(b, data, words)
		if got, err := exchange(p, callLine(1, "list_rulesets", `{}`)); err != nil || !strings.Contains(got, "rule_0") && !strings.Contains(got, "resource_link") {
			b.Fatalf("got %.300s, %v", got, err)
		}
		if err := p.Close(); err != nil {
			b.Error(err)
		}
	}
}

func openBench(b *testing.B, data string, words []string) *pipe {
	b.Helper()
	argv, err := program()
	if err != nil {
		b.Fatal(err)
	}
	args, env := environment(data, words)
	p, err := openPipe(b.Context(), append(slices.Clone(argv), args...), env, 10*time.Minute)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Close() }) // a second time does nothing
	return p
}

// benchWords are the words of the texts and of the queries: the first ones are frequent.
const benchWords = 30_000

// benchText returns a text of about 1.2 kB, whose words are spread as Zipf says.
func benchText(random *rand.Rand) string {
	zipf := rand.NewZipf(random, 1.1, 4, benchWords-1)
	var b strings.Builder
	b.WriteString("# Rules\n\n")
	for i := 1; b.Len() < 1200; i++ {
		b.WriteString(benchWord(zipf.Uint64()))
		if b.WriteByte(' '); i%12 == 0 {
			b.WriteByte('\n')
		}
	}
	return b.String() + "\n"
}

// benchWord is the word of a number: syllables, so that it is a word for a stemmer.
func benchWord(n uint64) string {
	const consonants, vowels = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for n += 100; n > 0; n /= uint64(len(consonants) * len(vowels)) {
		i := n % uint64(len(consonants)*len(vowels))
		b.WriteByte(consonants[i/uint64(len(vowels))])
		b.WriteByte(vowels[i%uint64(len(vowels))])
	}
	return b.String()
}

// benchExtra is the front matter of a ruleset beside what each has: a quarter applies to
// the files of one of 200 folders.
func benchExtra(i int) string {
	if i%4 != 0 {
		return ""
	}
	return fmt.Sprintf("globs: [src/part%d/**/*.go]\n", i/4%200)
}

// findLine is a search: by one to three words, by words and a tag, or by a path.
func findLine(i int, _ string) string {
	random := rand.New(rand.NewPCG(1, uint64(i))) // the same searches each time
	zipf := rand.NewZipf(random, 1.1, 4, benchWords-1)
	var words []string
	for range 1 + i%3 {
		words = append(words, benchWord(zipf.Uint64()))
	}
	arguments := fmt.Sprintf(`{"text":%q}`, strings.Join(words, " "))
	switch i % 5 {
	case 3:
		arguments = fmt.Sprintf(`{"text":%q,"tags":["tag%d"]}`, words[0], i%50)
	case 4:
		arguments = fmt.Sprintf(`{"path":"src/part%d/x.go"}`, i%200)
	}
	return callLine(i, "find_rulesets", arguments)
}

func fillManyFiles(b *testing.B, data string, n int) []string {
	b.Helper()
	dir := filepath.Join(data, "rulesets")
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	revisions := manyRevisions(b)
	if revisions > 1 {
		if err := os.Mkdir(filepath.Join(dir, ".history"), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(1, 2)) // the same texts each time
	for i := range n {
		at, markdown := manyCreated(i).Format(time.DateTime), benchText(random)
		write(fmt.Sprintf("rule_%d.md", i), fmt.Sprintf("---\nname: rule_%d\ndescription: A rule of part %d\ntags: [tag%d, style]\ncreated_at: %s\nlast_modified: %s\n%s---\n\n%s",
			i, i%200, i%50, at, at, benchExtra(i), markdown))
		if revisions > 1 {
			write(fmt.Sprintf(".history/rule_%d.jsonl", i), strings.Join(benchHistory(b, i, revisions, markdown, []string{fmt.Sprintf("tag%d", i%50), "style"}), "\n")+"\n")
		}
	}
	return nil
}

// benchHistory returns the revisions of a ruleset whose newest text is markdown, in the
// form that the stores document; tags are a list in files and its JSON in Redis.
func benchHistory(b *testing.B, i, revisions int, markdown string, tags any) []string {
	b.Helper()
	lines := make([]string, revisions)
	for n := range lines {
		text := markdown
		if older := revisions - 1 - n; older > 0 {
			text = fmt.Sprintf("%sRevision %d before.\n", markdown, older)
		}
		line, err := json.Marshal(map[string]any{"rev": n + 1, "at": manyCreated(i), "author": "local", "client": "bench",
			"description": fmt.Sprintf("A rule of part %d", i%200), "tags": tags,
			"extra": benchExtra(i), "markdown": text})
		if err != nil {
			b.Fatal(err)
		}
		lines[n] = string(line)
	}
	return lines
}

func fillManyHashes(b *testing.B, _ string, n int) []string {
	b.Helper()
	addr := valkeytest.Start(b).Addr
	client := redis.NewClient(&redis.Options{Addr: addr})
	defer func() { _ = client.Close() }() // its work is done
	revisions := manyRevisions(b)
	random := rand.New(rand.NewPCG(1, 2)) // the same texts each time
	for from := 0; from < n; from += 1000 {
		_, err := client.Pipelined(b.Context(), func(p redis.Pipeliner) error {
			for i := from; i < min(n, from+1000); i++ {
				at, markdown, tags := manyCreated(i).Format(time.RFC3339), benchText(random), fmt.Sprintf(`["tag%d","style"]`, i%50)
				p.HSet(b.Context(), fmt.Sprintf("ruleset:rule_%d", i), "description", fmt.Sprintf("A rule of part %d", i%200),
					"tags", tags, "markdown", markdown, "extra", benchExtra(i), "created_at", at, "last_modified", at)
				if revisions > 1 {
					p.RPush(b.Context(), fmt.Sprintf("rulesets:history:{ruleset:rule_%d}", i), benchHistory(b, i, revisions, markdown, tags))
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return []string{"TRIPTYCH_STORE=redis://" + addr}
}

func manyCreated(i int) time.Time {
	return time.Date(2025, 10, 29, 10, 30, 0, 0, time.UTC).Add(time.Duration(i) * time.Second)
}

// residentMebibytes is the memory of the program that is in RAM.
func residentMebibytes(b *testing.B, p *pipe) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.cmd.Process.Pid) + "/status")
	if err != nil {
		b.Skip("no /proc: ", err)
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kibibytes, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kibibytes / 1024
}
