package race

import (
	"encoding/csv"
	"fmt"
	"slices"
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

// A column is a column of a table of standings.
type column struct {
	name string
	cell func(s Standing) string
	// optional columns are left out if no standing has anything in them.
	optional func(s Standing) bool
}

var (
	rankColumn   = column{name: "rank", cell: func(s Standing) string { return rankText(s.Rank, s.Tied) }}
	modelColumn  = column{name: "model", cell: func(s Standing) string { return s.Model }}
	solvedColumn = column{name: "solved", cell: count(func(s Standing) int { return s.Solved })}
	unverified   = column{"unverified", count(func(s Standing) int { return s.Unverified }), func(s Standing) bool { return s.Unverified > 0 }}
	failures     = column{name: "failures", cell: count(func(s Standing) int { return s.Failures })}
	runsColumn   = column{name: "runs", cell: count(func(s Standing) int { return s.Runs })}
	total        = column{name: "total", cell: func(s Standing) string { return timeText(s.Total, s.Solved > 0) }}
	timed        = column{"timed", timedText, func(s Standing) bool { return s.TimedParts > 0 }}
	cpu          = column{"cpu", func(s Standing) string { return timeText(s.CPUTotal, s.CPUTotal > 0) }, func(s Standing) bool { return s.CPUTotal > 0 }}
	memory       = column{"memory", func(s Standing) string { return memoryText(s.Memory) }, func(s Standing) bool { return s.Memory > 0 }}
)

// columns are the columns of the standings in each order.
var columns = map[Order][]column{
	ByTime: {
		rankColumn, modelColumn, solvedColumn, unverified, failures, runsColumn, total, timed, cpu, memory,
		{name: "gold", cell: count(func(s Standing) int { return s.Gold })},
		{name: "silver", cell: count(func(s Standing) int { return s.Silver })},
		{name: "bronze", cell: count(func(s Standing) int { return s.Bronze })},
		{name: "points", cell: count(func(s Standing) int { return s.Points })},
	},
	ByTimed: {rankColumn, modelColumn, solvedColumn, unverified, {name: "timed", cell: timedText}, {name: "told", cell: total.cell}},
	ByTokens: {
		rankColumn, modelColumn, solvedColumn, unverified,
		{name: "tokens in", cell: tokens(func(s Standing) int64 { return s.TokensIn })},
		{name: "tokens out", cell: tokens(func(s Standing) int64 { return s.TokensOut })},
		{name: "per star", cell: perStar(tokens(func(s Standing) int64 { return s.TokensPerStar }))},
	},
	ByCost: {
		rankColumn, modelColumn, solvedColumn, unverified,
		{name: "US$", cell: money(func(s Standing) float64 { return s.CostUSD })},
		{name: "US$ per star", cell: perStar(money(func(s Standing) float64 { return s.CostPerStar }))},
	},
	ByAttempts: {
		rankColumn, modelColumn, solvedColumn, unverified, runsColumn, failures,
		{name: "attempts", cell: count(func(s Standing) int { return s.Attempts })},
		{name: "success", cell: func(s Standing) string { return percent(s.Success) }},
	},
}

func count(of func(Standing) int) func(Standing) string {
	return func(s Standing) string { return strconv.Itoa(of(s)) }
}

func tokens(of func(Standing) int64) func(Standing) string {
	return func(s Standing) string { return told(s.untold(s.tokenRuns), strconv.FormatInt(of(s), 10)) }
}

func money(of func(Standing) float64) func(Standing) string {
	return func(s Standing) string { return told(s.untold(s.costRuns), moneyText(of(s))) }
}

// perStar leaves a cell empty for models without a star.
func perStar(cell func(Standing) string) func(Standing) string {
	return func(s Standing) string { return orDash(cell(s), s.Solved > 0) }
}

func moneyText(v float64) string { return strconv.FormatFloat(v, 'f', 4, 64) }

// told returns a sum; one that some runs did not tell is a bound.
func told(untold int, sum string) string { return [...]string{sum, "≥ " + sum, "-"}[untold] }

// timedText returns the time by the server's clock, with the number of parts if it timed
// only some.
func timedText(s Standing) string {
	text := timeText(s.TimedTotal, s.TimedParts > 0)
	if s.TimedParts > 0 && s.TimedParts < s.Solved {
		text += fmt.Sprintf(" (%d of %d)", s.TimedParts, s.Solved)
	}
	return text
}

func memoryText(bytes int64) string {
	return orDash(strconv.FormatInt((bytes+1<<19)>>20, 10)+" MiB", bytes > 0)
}

func percent(v float64) string { return strconv.FormatFloat(100*v, 'f', 0, 64) + " %" }

func timeText(ms int64, known bool) string { return orDash(Duration(ms), known) }

func orDash(text string, known bool) string {
	if known {
		return text
	}
	return "-"
}

// rankText returns a rank; one that models share ends in =.
func rankText(rank int, tied bool) string {
	switch {
	case rank == 0:
		return "-"
	case tied:
		return strconv.Itoa(rank) + "="
	}
	return strconv.Itoa(rank)
}

// standingRows returns the standings in an order, under their headings.
func (r *Race) standingRows(order Order) [][]string {
	list := r.Sorted(order)
	used := slices.DeleteFunc(slices.Clone(columns[order]), func(c column) bool {
		return c.optional != nil && !slices.ContainsFunc(list, c.optional)
	})
	rows := make([][]string, len(list)+1)
	for _, c := range used {
		rows[0] = append(rows[0], c.name)
		for i, s := range list {
			rows[i+1] = append(rows[i+1], c.cell(s))
		}
	}
	return rows
}

// The columns of the tables by puzzle and by pair of models.
var (
	resultColumns = []string{"puzzle", "rank", "model", "runs", "failures", "best", "median", "p95", "worst"}
	duelColumns   = []string{"head to head", "", "faster", "slower", "equal"}
)

func (r Result) row(kind Kind) []string {
	n, solved := strconv.Itoa, r.Rank > 0
	rank := rankText(r.Rank, r.Tied)
	if r.Unverified {
		rank += "?"
	}
	cells := []string{
		r.Puzzle.String(), rank, r.Model, n(r.Runs), n(r.Failures), timeText(r.Best, solved), timeText(r.Median, solved),
		timeText(r.P95, solved), timeText(r.Worst, solved),
	}
	if kind == Program {
		return append(cells, timeText(r.CPU, r.CPU > 0), memoryText(r.Memory))
	}
	return append(cells, timeText(r.Timed, r.Timed > 0))
}

func (d Duel) row() []string {
	return []string{d.A, d.B, strconv.Itoa(d.WinA), strconv.Itoa(d.WinB), strconv.Itoa(d.Ties)}
}

func (r *Race) resultRows() [][]string {
	measured := []string{"timed"}
	if r.Kind == Program {
		measured = []string{"cpu", "memory"}
	}
	rows := [][]string{slices.Concat(resultColumns, measured)}
	for _, result := range r.Results {
		rows = append(rows, result.row(r.Kind))
	}
	return rows
}

func (r *Race) duelRows() [][]string {
	rows := [][]string{duelColumns}
	for _, d := range r.Duels {
		rows = append(rows, d.row())
	}
	return rows
}

// stars returns a row for each model with a character for each part of each day: *
// solved, ? solved without verification, x failed, . no run.
func (r *Race) stars() [][]string {
	type cell struct {
		model     string
		year, day int
	}
	marks := map[cell][2]byte{}
	for _, result := range r.Results {
		at := cell{result.Model, result.Year, result.Day}
		two, ok := marks[at]
		if !ok {
			two = [2]byte{'.', '.'}
		}
		if result.Part == 1 || result.Part == 2 {
			two[result.Part-1] = result.mark()
		}
		marks[at] = two
	}
	rows := [][]string{{"model"}}
	for _, s := range r.Standings {
		rows = append(rows, []string{s.Model})
	}
	for _, p := range r.days() {
		rows[0] = append(rows[0], strconv.Itoa(p.Day))
		for i, s := range r.Standings {
			two, ok := marks[cell{s.Model, p.Year, p.Day}]
			if !ok {
				two = [2]byte{'.', '.'}
			}
			rows[i+1] = append(rows[i+1], string(two[:]))
		}
	}
	return rows
}

func (r Result) mark() byte {
	switch {
	case r.Rank == 0:
		return 'x'
	case r.Unverified:
		return '?'
	}
	return '*'
}

// heading says what the times of the race are.
func (r *Race) heading() string {
	if r.Kind == Program {
		return "Running times of programs (median of successful runs)"
	}
	return "Solving times of models, as told (median of successful runs)"
}

const starsLegend = "* solved, ? solved but not verified, x failed, . no run; one character for each part"

// Text returns what fits a screen: the parts that each model has solved by day, and the
// standings in an order at the end.
func (r *Race) Text(order Order) string {
	if len(r.Standings) == 0 {
		return "No runs are recorded.\n"
	}
	return r.heading() + "\n\n" + aligned(r.stars()) + starsLegend + "\n\n" + aligned(r.standingRows(order))
}

// Details returns the tables by puzzle and by pair of models in aligned columns.
func (r *Race) Details() string {
	return aligned(r.resultRows()) + "\n" + aligned(r.duelRows())
}

// Summary returns the standings only, in aligned columns.
func (r *Race) Summary() string { return aligned(r.standingRows(ByTime)) }

// LanguageTable returns results by language in aligned columns.
func LanguageTable(list []LanguageResult) string {
	rows := [][]string{{"language", "models", "runs", "failures", "success", "median", "US$"}}
	for _, l := range list {
		rows = append(rows, []string{
			orDash(l.Language, l.Language != ""), strconv.Itoa(l.Models), strconv.Itoa(l.Runs), strconv.Itoa(l.Failures),
			percent(l.Success), timeText(l.Median, l.Median > 0), orDash(moneyText(l.CostUSD), l.costRuns > 0),
		})
	}
	return aligned(rows)
}

func aligned(rows [][]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		_, _ = fmt.Fprintln(w, strings.Join(row, "\t")) // a strings.Builder never fails
	}
	_ = w.Flush()
	return b.String()
}

// Markdown returns all tables as Markdown.
func (r *Race) Markdown(order Order) string {
	var b strings.Builder
	for i, table := range [][][]string{r.resultRows(), r.duelRows(), r.standingRows(order)} {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(MarkdownTable(table))
	}
	return b.String()
}

// plainCell makes Markdown show the text of a cell as it is.
var plainCell = strings.NewReplacer("\\", `\\`, "|", `\|`, "<", "&lt;", "\n", " ")

// MarkdownTable returns rows as a table of Markdown, the first row as its heading.
func MarkdownTable(rows [][]string) string {
	var b strings.Builder
	for i, row := range rows {
		for _, cell := range row {
			b.WriteString("| " + plainCell.Replace(cell) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return b.String()
}

// CSV returns the results as comma-separated values, with times in milliseconds.
func (r *Race) CSV() string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	rows := [][]string{{"year", "day", "part", "model", "runs", "failures", "best_ms", "median_ms", "p95_ms", "rank", "kind", "unverified", "worst_ms", "timed_median_ms", "cpu_median_ms", "peak_bytes"}}
	for _, s := range r.Results {
		n, ms := strconv.Itoa, func(v int64) string { return strconv.FormatInt(v, 10) }
		rows = append(rows, []string{
			n(s.Year), n(s.Day), n(s.Part), s.Model, n(s.Runs), n(s.Failures), ms(s.Best), ms(s.Median), ms(s.P95), n(s.Rank),
			string(r.Kind), strconv.FormatBool(s.Unverified), ms(s.Worst), ms(s.Timed), ms(s.CPU), ms(s.Memory),
		})
	}
	_ = w.WriteAll(rows) // a strings.Builder never fails
	return b.String()
}
