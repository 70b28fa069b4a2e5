package recording

import (
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A DivergenceError reports that a replay is not the same as the recorded run.
type DivergenceError struct {
	Position uint64
	Problem  string
}

// Error implements error.
func (e *DivergenceError) Error() string {
	return fmt.Sprintf("the replay diverges from the recording at position %d: %s", e.Position, e.Problem)
}

// A cutError ends a recording for a reason.
type cutError = recfile.CutError

// errMode ends a recording of a program that is not for x86-64.
const errMode = cutError("the program executes 32-bit code")
