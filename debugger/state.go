package debugger

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// The statuses of a process.
const (
	stopped = "stopped"
	running = "running"
	exited  = "exited"
)

// A state says where a process stands and why; every answer has one.
type state struct {
	Session string `json:"session" doc:"The id of the session"`
	PID     int    `json:"pid"`
	Status  string `json:"status" doc:"stopped, running or exited"`
	Reason  string `json:"reason,omitempty" doc:"Why it stopped: attached, launched, breakpoint, watchpoint, signal, step, pause or exec; in the past also present, beginning, moment or write; recording also limit or exit"`

	Thread   int    `json:"thread,omitempty" doc:"The thread that the stop is about"`
	Address  string `json:"address,omitempty" doc:"Of the thread's next instruction"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Source   string `json:"source,omitempty" doc:"The text of that line"`

	Breakpoint int     `json:"breakpoint,omitempty" doc:"The number of the breakpoint or watchpoint"`
	Signal     string  `json:"signal,omitempty" doc:"The signal that stopped or ended it"`
	Fault      string  `json:"fault,omitempty" doc:"The address that a memory fault is about"`
	ExitStatus *int    `json:"exit_status,omitempty"`
	History    *moment `json:"history,omitempty" doc:"Which moment of its history is looked at; absent as long as nothing was recorded"`

	Note string `json:"note,omitempty" doc:"What else there is to know about the stop"`

	about string // how the text tells Fault, or that there is none
}

// running is the state of the same process on the move.
func (s state) running() state {
	return state{Session: s.Session, PID: s.PID, Status: running}
}

// reasons say in a word why a process stopped.
var reasons = map[proc.Why]string{
	proc.Paused: "pause", proc.Stepped: "step", proc.AtBreakpoint: "breakpoint", proc.AtWatchpoint: "watchpoint",
	proc.Signalled: "signal", proc.Executed: "exec", proc.Exited: "", proc.Killed: "",
	atPresent: "present", atBeginning: "beginning", atMoment: "moment", atWrite: "write", atLimit: "limit", atExit: "exit",
}

// describe says where a process stands after a stop.
func (s *session) describe(stop proc.Stop) state {
	now := state{Session: s.id, PID: s.pid, Status: stopped, Reason: reasons[stop.Why]}
	if stop.Signal != 0 {
		now.Signal = signalName(stop.Signal)
	}
	if stop.Ended() {
		now.Status = exited
		if stop.Why == proc.Exited && stop.Status != proc.UnknownStatus {
			now.ExitStatus = &stop.Status
		}
		return now
	}
	now.Thread = stop.Thread
	now.Address = hexadecimal(stop.Address)
	now.Fault, now.about = s.fault(stop)
	if stop.Breakpoint != 0 {
		now.Breakpoint = s.reachMark(stop.Breakpoint, stop.Why)
	}
	s.begins()
	now.Note = s.takeNotes(note(stop))
	now.History = s.moment()
	if stop.Why == proc.Executed {
		clear(s.marks.byID)
	}
	if s.refresh() == nil { // a process that has just died is found out later
		s.locate(&now, stop.Address)
	}
	return now
}

// note is what is out of the ordinary about a stop.
func note(stop proc.Stop) string {
	switch {
	case stop.Err != nil:
		return "the condition could not be decided: " + stop.Err.Error()
	case stop.Late:
		return "the thread had blocked SIGTRAP and has run on since it reached the breakpoint"
	case stop.Why == atExit:
		return "the next step ends the process, and its history with it"
	case stop.Why == proc.Executed:
		return "another program was begun; the breakpoints are gone"
	}
	return ""
}

// locate names the place of the next instruction.
func (s *session) locate(now *state, address uint64) {
	now.Function, now.File, now.Line = s.place(address)
	if now.File != "" {
		now.Source = s.shown.line(now.File, now.Line)
	}
}

func hexadecimal(n uint64) string { return fmt.Sprintf("%#x", n) }
