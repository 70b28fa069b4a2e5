package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/pflag"
)

// jsonFlag is the flag of every command that lists.
func jsonFlag(set *pflag.FlagSet, asJSON *bool) {
	set.BoolVar(asJSON, "json", false, "print JSON")
}

// printJSON prints a result for programs.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printTable prints rows for people, in columns. The first row is the heading.
func (a *app) printTable(rows [][]string) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = oneLine(cell)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t")); err != nil {
			return err
		}
	}
	return w.Flush()
}

// printf prints a result for people.
func (a *app) printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.out, format, args...)
	return err
}

// oneLine makes text safe to show in a cell: nothing that moves the cursor or
// talks to the terminal.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.In(r, unicode.Bidi_Control):
			return -1
		}
		return r
	}, text)
}

// endLine makes text end its last line.
func endLine(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
