package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
)

// Reasons to stop in addition to those of package proc.
const (
	AtPresent   proc.Why = 100 + iota // the replay has reached the present
	AtBeginning                       // history goes no further back
	AtMoment                          // at the position that was asked for
	AtWrite                           // the next step writes what is watched
	AtLimit                           // a limit of recording was reached
	AtExit                            // the next step ends the process
	AtPanic                           // the program ends with an error that no signal tells of
)

// whys maps the reasons why recording stops to those of stops.
var whys = map[history.StopReason]proc.Why{
	history.StepLimit: proc.Stepped, history.ConditionMet: proc.Stepped, history.TimedOut: AtLimit, history.Paused: proc.Paused,
	history.GotSignal: proc.Signalled, history.Exiting: AtExit, history.Executed: proc.Executed,
	history.ThreadEnded: proc.Stepped, history.ProcessEnded: proc.Stepped,
}
