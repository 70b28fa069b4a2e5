package session

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// The values of State.Status.
const (
	Stopped = "stopped"
	Running = "running"
	Exited  = "exited"
)

// A State describes where a process has stopped and why. Every answer has one.
type State struct {
	Session string `json:"session" doc:"The id of the session"`
	PID     int    `json:"pid"`
	Status  string `json:"status" doc:"stopped, running or exited"`
	Reason  string `json:"reason,omitempty" doc:"Why it stopped: attached, launched, breakpoint, watchpoint, signal, panic, syscall, step, pause or exec; in the past also present, beginning, moment or write; recording also limit or exit"`

	Thread   int    `json:"thread,omitempty" doc:"The thread that the stop is about"`
	Address  string `json:"address,omitempty" doc:"Of the thread's next instruction"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Source   string `json:"source,omitempty" doc:"The text of that line"`

	Breakpoint int                `json:"breakpoint,omitempty" doc:"The number of the breakpoint or watchpoint"`
	Signal     string             `json:"signal,omitempty" doc:"The signal that stopped or ended it"`
	Fault      string             `json:"fault,omitempty" doc:"The address that a memory fault is about"`
	Syscall    string             `json:"syscall,omitempty" doc:"The system call, with its result after it"`
	ExitStatus *int               `json:"exit_status,omitempty"`
	History    *stepping.Position `json:"history,omitempty" doc:"Which moment of its history is looked at; absent as long as nothing was recorded"`

	Note string `json:"note,omitempty" doc:"What else there is to know about the stop"`

	faultText string // the part of the text about Fault
	returned  bool   // from Syscall
}

// running returns the state while the process runs.
func (s State) running() State {
	return State{Session: s.Session, PID: s.PID, Status: Running}
}

// Reasons are the values of State.Reason.
var Reasons = map[proc.Why]string{
	proc.Paused: "pause", proc.Stepped: "step", proc.AtBreakpoint: "breakpoint", proc.AtWatchpoint: "watchpoint",
	proc.Signalled: "signal", proc.Executed: "exec", proc.Exited: "", proc.Killed: "", proc.AtSyscall: "syscall",
	stepping.AtPresent: "present", stepping.AtBeginning: "beginning", stepping.AtMoment: "moment", stepping.AtWrite: "write", stepping.AtLimit: "limit", stepping.AtExit: "exit", stepping.AtPanic: "panic",
}

// Describe returns the state for a stop, and clears the notes.
func (s *Session) Describe(stop proc.Stop) State {
	now := State{Session: s.ID, PID: s.Target.ProcessID(), Status: Stopped, Reason: Reasons[stop.Why]}
	if stop.Signal != 0 {
		now.Signal = signalName(stop.Signal)
	}
	if stop.Ended() {
		now.Status = Exited
		if stop.Why == proc.Exited && stop.Status != proc.UnknownStatus {
			now.ExitStatus = &stop.Status
		}
		return now
	}
	now.Thread = stop.Thread
	now.Address = plain.Hex(stop.Address)
	now.Fault, now.faultText = s.Inspector.Fault(stop)
	now.Syscall, now.returned = stepping.SyscallText(s.Target, stop), stop.Syscall.Returned
	if stop.Breakpoint != 0 {
		now.Breakpoint = s.Breakpoints.Reach(stop.Breakpoint, stop.Why)
	}
	if stop.Why == proc.Executed {
		s.Timeline.Notes = append(s.Timeline.Notes, s.Breakpoints.NewProgram(s.Inspector.Life))
	}
	s.Timeline.NoteNew()
	now.Note = s.Timeline.TakeNotes(note(stop))
	now.History = s.Timeline.Position()
	if s.Stepper.Maps.Refresh() == nil { // a process that has just died is detected later
		s.locate(&now, stop.Address)
	}
	return now
}

// note returns what is unusual about a stop.
func note(stop proc.Stop) string {
	switch {
	case stop.Err != nil:
		return "the condition could not be decided: " + stop.Err.Error()
	case stop.Late:
		return "the thread had blocked SIGTRAP and has run on since it reached the breakpoint"
	case stop.Why == stepping.AtExit:
		return "the next step ends the process, and its history with it"
	}
	return ""
}

// locate fills in the function, file, line and source text of an address.
func (s *Session) locate(now *State, address uint64) {
	now.Function, now.File, now.Line = s.Inspector.Place(address)
	if now.File != "" {
		now.Source = s.source.Line(s.Target.SourcePath(now.File), now.Line)
	}
}
