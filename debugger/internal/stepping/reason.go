package stepping

import (
	"github.com/triptych-mcp/triptych/debugger/internal/history"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// Reasons to stop beyond those that a process has.
const (
	AtPresent   proc.Why = 100 + iota // the past has come to its end
	AtBeginning                       // history goes no further back
	AtMoment                          // the moment was asked for
	AtWrite                           // the next step writes what is watched
	AtLimit                           // as much was recorded as was wanted
	AtExit                            // the next step ends the process
)

// whys are the reasons why recording stops, as those of stops.
var whys = map[history.Why]proc.Why{
	history.Counted: proc.Stepped, history.Hit: proc.Stepped, history.TimedOut: AtLimit, history.Paused: proc.Paused,
	history.GotSignal: proc.Signalled, history.Exiting: AtExit, history.Executed: proc.Executed,
	history.ThreadEnded: proc.Stepped, history.Gone: proc.Stepped,
}
