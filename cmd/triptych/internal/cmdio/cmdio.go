// Package cmdio has the input and the output of commands, and prints results for people and
// for programs.
package cmdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// An IO is the input and the output of a command.
type IO struct {
	In  *os.File
	Out *os.File
	Err io.Writer
}

// PrintJSON prints a result for programs.
func (o *IO) PrintJSON(v any) error {
	enc := json.NewEncoder(o.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// PrintTable prints rows for people, in columns. The first row is the heading.
// Empty cells at the end are part of their columns, too: without them a row
// would end these, and the rows below would be laid out by themselves.
func (o *IO) PrintTable(rows [][]string) error {
	var laid bytes.Buffer
	w := tabwriter.NewWriter(&laid, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = plain.Line(cell)
		}
		if _, err := fmt.Fprintln(w, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(laid.String()) {
		if err := o.Printf("%s\n", strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// Printf prints a result for people.
func (o *IO) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(o.Out, format, args...)
	return err
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

// IsTerminal reports whether a person sits at the other end of a file.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull && !isNull(info)
}

// isNull reports whether a file is the null device, which is a character
// device like a terminal.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}
