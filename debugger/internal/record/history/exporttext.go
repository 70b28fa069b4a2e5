package history

import (
	"encoding/json"
	"fmt"
)

// traceFormat names the format in the header of JSON.
const traceFormat = "triptych-trace"

// A traceHeader is the first object of a trace in JSON.
type traceHeader struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Program string `json:"program,omitempty"`
	From    uint64 `json:"from"`
	To      uint64 `json:"to"`
}

// json writes one object with one step per line, so that the file can be read in
// parts.
func (e *exporter) json() error {
	head, err := json.Marshal(traceHeader{traceFormat, traceVersion, e.o.Program, e.o.From, e.o.To})
	if err != nil {
		return err
	}
	head = append(head[:len(head)-1], `,"steps":[`...)
	_, _ = e.w.Write(head) // bufio keeps the error
	separator := "\n"
	err = e.each(func(s *step) error {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		_, _ = e.w.WriteString(separator)
		separator = ",\n"
		_, err = e.w.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	_, err = e.w.WriteString("\n]}\n")
	return err
}

// text writes a heading and one line per step.
func (e *exporter) text() error {
	program := ""
	if e.o.Program != "" {
		program = " of " + e.o.Program
	}
	_, _ = fmt.Fprintf(e.w, "# trace%s, positions %d to %d: position thread kind address | what was done | registers after | memory after, before\n",
		program, e.o.From, e.o.To)
	return e.each(func(s *step) error {
		_, err := e.w.WriteString(s.line() + "\n")
		return err
	})
}
