package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/spf13/pflag"
)

// JSONFlag is the flag of every command that lists.
func JSONFlag(set *pflag.FlagSet, asJSON *bool) {
	set.BoolVar(asJSON, "json", false, "print JSON")
}

// PrintJSON prints a result for programs.
func (a *App) PrintJSON(v any) error {
	enc := json.NewEncoder(a.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// PrintTable prints rows for people, in columns. The first row is the heading.
// Empty cells at the end are part of their columns, too: without them a row
// would end these, and the rows below would be laid out by themselves.
func (a *App) PrintTable(rows [][]string) error {
	var laid bytes.Buffer
	w := tabwriter.NewWriter(&laid, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = OneLine(cell)
		}
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(laid.String()) {
		if err := a.Printf("%s\n", strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// Printf prints a result for people.
func (a *App) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(a.Out, format, args...)
	return err
}

// OneLine makes text safe to show in a cell: nothing that moves the cursor or
// talks to the terminal.
func OneLine(text string) string {
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

// EndLine makes text end its last line.
func EndLine(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Counted is a number with its noun.
func Counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
