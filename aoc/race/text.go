package race

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Duration formats milliseconds as people read them: "850 ms", "15.3 s", "2m05s",
// "1h02m".
func Duration(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case ms < 0 || ms > int64(1000*time.Hour/time.Millisecond): // beyond what a Duration holds, too
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 1000:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 60_000:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case ms < 3_600_000:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// String returns the puzzle as in "2024 day 1 part 2".
func (p Puzzle) String() string {
	if p.Year == 0 {
		return fmt.Sprintf("day %d part %d", p.Day, p.Part)
	}
	return fmt.Sprintf("%d day %d part %d", p.Year, p.Day, p.Part)
}

// The columns of the three tables.
var (
	standingColumns = []string{"rank", "model", "points", "gold", "silver", "bronze", "solved", "failures", "total"}
	resultColumns   = []string{"puzzle", "rank", "model", "runs", "failures", "best", "median", "p95"}
	duelColumns     = []string{"head to head", "", "faster", "slower", "equal"}
)

func (s Standing) row() []string {
	n := strconv.Itoa
	return []string{n(s.Rank), s.Model, n(s.Points), n(s.Gold), n(s.Silver), n(s.Bronze), n(s.Solved), n(s.Failures), Duration(s.Total)}
}

func (r Result) row() []string {
	n := strconv.Itoa
	if r.Rank == 0 {
		return []string{r.Puzzle.String(), "-", r.Model, n(r.Runs), n(r.Failures), "-", "-", "-"}
	}
	return []string{r.Puzzle.String(), n(r.Rank), r.Model, n(r.Runs), n(r.Failures), Duration(r.Best), Duration(r.Median), Duration(r.P95)}
}

func (d Duel) row() []string {
	return []string{d.A, d.B, strconv.Itoa(d.WinA), strconv.Itoa(d.WinB), strconv.Itoa(d.Ties)}
}

// tables returns the rows of the three tables, their headings first: overall, by
// puzzle, and by pair of models.
func (r *Race) tables() [][][]string {
	overall, puzzles, pairs := [][]string{standingColumns}, [][]string{resultColumns}, [][]string{duelColumns}
	for _, s := range r.Standings {
		overall = append(overall, s.row())
	}
	for _, result := range r.Results {
		puzzles = append(puzzles, result.row())
	}
	for _, d := range r.Duels {
		pairs = append(pairs, d.row())
	}
	return [][][]string{overall, puzzles, pairs}
}

// Text returns the tables in aligned columns.
func (r *Race) Text() string {
	var b strings.Builder
	for i, table := range r.tables() {
		if i > 0 {
			b.WriteByte('\n')
		}
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range table {
			_, _ = fmt.Fprintln(w, strings.Join(row, "\t")) // a strings.Builder never fails
		}
		_ = w.Flush()
	}
	return b.String()
}

// Summary returns the overall table only, in aligned columns.
func (r *Race) Summary() string {
	text := r.Text()
	summary, _, _ := strings.Cut(text, "\n\n")
	return strings.TrimSuffix(summary, "\n") + "\n"
}

// Markdown returns the tables as Markdown.
func (r *Race) Markdown() string {
	var b strings.Builder
	for i, table := range r.tables() {
		if i > 0 {
			b.WriteByte('\n')
		}
		for n, row := range table {
			writeMarkdownRow(&b, row)
			if n == 0 {
				b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
			}
		}
	}
	return b.String()
}

func writeMarkdownRow(b *strings.Builder, row []string) {
	for _, cell := range row {
		b.WriteString("| " + strings.NewReplacer("|", `\|`, "\n", " ").Replace(cell) + " ")
	}
	b.WriteString("|\n")
}

// CSV returns the results as comma-separated values, with times in milliseconds.
func (r *Race) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{{"year", "day", "part", "model", "runs", "failures", "best_ms", "median_ms", "p95_ms", "rank"}}
	for _, s := range r.Results {
		n := strconv.Itoa
		rows = append(rows, []string{
			n(s.Year), n(s.Day), n(s.Part), s.Model, n(s.Runs), n(s.Failures),
			strconv.FormatInt(s.Best, 10), strconv.FormatInt(s.Median, 10), strconv.FormatInt(s.P95, 10), n(s.Rank),
		})
	}
	_ = w.WriteAll(rows) // a strings.Builder never fails
	return b.String()
}
