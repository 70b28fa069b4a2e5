package recording

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// A Place says where a [Past] holds its recordings, and how many bytes they may have.
type Place struct {
	Memory int    // in memory, with the steps that follow them
	File   int    // in a file; 0 means that there is none
	Folder string // of the file, which has no name there
}

// A Stretch says how far the process of a debugger is recorded.
type Stretch struct {
	Limit uint64 // position at which it ends; 0 means none
	Bytes int    // of the recording, at most

	// Code has addresses of instructions. Stops reports whether the process stops before
	// one of them, which the view shows. It may only read.
	Code  []uint64
	Stops func(*history.View) bool

	// Shown, unless nil, is called with positions on the way.
	Shown func(position uint64)
}

// A Reason says why a stretch has ended.
type Reason uint8

// The reasons.
const (
	EndPlace  Reason = iota + 1 // Stretch.Stops returned true
	EndSignal                   // a signal arrived whose action is to stop; it is delivered later
	EndExit                     // the next system call ends the process
	EndExec                     // the process executes another program
	EndLimit                    // Stretch.Limit was reached
	EndFull                     // the recording has as many bytes as it may have
	EndPaused                   // the context is done, or the process was paused
	EndGone                     // the process has ended
	EndCut                      // what follows cannot be recorded
	EndLost                     // likewise, and the process is past it
)

// A StretchEnd says where a stretch has ended.
type StretchEnd struct {
	Why    Reason
	Thread int
	Signal ptrace.SigInfo // EndSignal
	Text   string         // EndCut and EndLost
}
