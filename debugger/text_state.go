package debugger

import (
	"fmt"
	"strings"
)

// Text says where a process stands, in one line.
func (s state) Text() string {
	switch s.Status {
	case running:
		return "Process is running"
	case exited:
		return s.ending()
	}
	switch s.Reason {
	case "breakpoint":
		return fmt.Sprintf("Stopped at breakpoint %d (%s)", s.Breakpoint, s.Address)
	case "watchpoint":
		return fmt.Sprintf("Stopped at watchpoint %d (%s)", s.Breakpoint, s.Address)
	case "signal":
		return s.signalled()
	case "step":
		return "Stepped to " + s.Address
	case "pause":
		return "Paused at " + s.Address
	case "present":
		return "Came to the present at " + s.Address
	case "beginning":
		return "Came to the beginning of history at " + s.Address
	case "moment":
		return fmt.Sprintf("At position %d, %s", s.position(), s.Address)
	case "write":
		return fmt.Sprintf("Before the write to watchpoint %d (%s)", s.Breakpoint, s.Address)
	case "limit":
		return "Recorded as much as was wanted, to " + s.Address
	case "exit":
		return "About to end at " + s.Address
	case "exec":
		return fmt.Sprintf("Stopped in a new program (%s)", s.Address)
	}
	return fmt.Sprintf("Stopped at %s", s.Address)
}

// position is that of the moment that is looked at, 0 without a history.
func (s state) position() uint64 {
	if s.History == nil {
		return 0
	}
	return s.History.Position
}

func (s state) ending() string {
	switch {
	case s.Signal != "":
		return "Process was killed by signal " + s.Signal
	case s.ExitStatus == nil:
		return "Process has ended"
	}
	return fmt.Sprintf("Process exited with status %d", *s.ExitStatus)
}

func (s state) signalled() string {
	return fmt.Sprintf("Stopped by signal %s (%s)%s", s.Signal, s.Address, s.about)
}

// place is the address with all that is known about it.
func (s state) place() string {
	text := s.Address
	if s.Function != "" {
		text += " " + plain(s.Function)
	}
	if s.File != "" {
		text += fmt.Sprintf(" %s:%d", plain(s.File), s.Line)
	}
	return text
}

// Text is the documented form; where a program's own stop has none, the place
// follows.
func (m moved) Text() string { return m.text() + m.State.when() }

// text is all but the moment.
func (m moved) text() string {
	var b strings.Builder
	b.WriteString(m.State.Text())
	if m.State.Note != "" {
		b.WriteString("\nNote: " + plain(m.State.Note))
	}
	if m.Output != "" {
		b.WriteString("\nOutput:\n" + printable(m.Output))
	}
	return b.String()
}

// when says which moment of the past is looked at, in a line of its own.
func (s state) when() string {
	if s.History == nil || !s.History.Past {
		return ""
	}
	return fmt.Sprintf("\nIn the past: snapshot %d of %d to %d", s.History.Position, s.History.Oldest, s.History.End)
}

// printable is text of several lines that is safe to show.
func printable(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = plain(strings.TrimRight(line, "\r"))
	}
	return strings.Join(lines, "\n")
}
