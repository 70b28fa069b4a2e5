package session

import (
	"fmt"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Where returns lines with the function, the position in the source and its
// text.
func (s *State) Where() string {
	text := "\n" + plain.Line(s.Function)
	if s.File != "" {
		text += fmt.Sprintf(" at %s:%d", plain.Line(s.File), s.Line)
	}
	if s.Source != "" {
		text += fmt.Sprintf("\n%d\t%s", s.Line, s.Source)
	}
	return text
}

// runs describes a process that runs, or would if a signal had not stopped it.
func (s *State) runs() string {
	if s.Signal != "" {
		return "Process is stopped by " + s.Signal + " and goes on when it gets SIGCONT"
	}
	return "Process is running"
}

// Text describes the state in one line.
func (s State) Text() string {
	switch s.Status {
	case Running:
		return s.runs()
	case Exited:
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
		return fmt.Sprintf("At position %d, %s", s.Position(), s.Address)
	case "write":
		return fmt.Sprintf("Before the write to watchpoint %d (%s)", s.Breakpoint, s.Address)
	case "limit":
		return "Recorded as much as was wanted, to " + s.Address
	case "exit":
		return "About to end at " + s.Address
	case "panic":
		return fmt.Sprintf("Stopped at a panic (%s)", s.Address)
	case "syscall":
		if s.returned {
			return fmt.Sprintf("Returned from system call %s (%s)", plain.Line(s.Syscall), s.Address)
		}
		return fmt.Sprintf("Stopped before system call %s (%s)", plain.Line(s.Syscall), s.Address)
	case "exec":
		return fmt.Sprintf("Stopped in a new program (%s)", s.Address)
	}
	return fmt.Sprintf("Stopped at %s", s.Address)
}

// Position returns the position in the history, 0 without one.
func (s State) Position() uint64 {
	if s.History == nil {
		return 0
	}
	return s.History.Position
}

func (s State) ending() string {
	switch {
	case s.Signal != "":
		return "Process was killed by signal " + s.Signal
	case s.ExitStatus == nil:
		return "Process has ended"
	}
	return fmt.Sprintf("Process exited with status %d", *s.ExitStatus)
}

func (s State) signalled() string {
	return fmt.Sprintf("Stopped by signal %s (%s)%s", s.Signal, s.Address, s.faultText)
}

// Place returns the address with its function and line, as far as they are
// known.
func (s State) Place() string {
	text := s.Address
	if s.Function != "" {
		text += " " + plain.Line(s.Function)
	}
	if s.File != "" {
		text += fmt.Sprintf(" %s:%d", plain.Line(s.File), s.Line)
	}
	return text
}

// When returns a line with the position in the past, "" at the present.
func (s State) When() string {
	if s.History == nil || !s.History.Past {
		return ""
	}
	return fmt.Sprintf("\nIn the past: snapshot %d of %d to %d", s.History.Position, s.History.Oldest, s.History.End)
}
