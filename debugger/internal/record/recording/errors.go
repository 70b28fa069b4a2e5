package recording

import (
	"github.com/triptych-mcp/triptych/debugger/internal/record/recfile"
)

// A cutError ends a recording for a reason.
type cutError = recfile.CutError

// errMode ends a recording of a program that is not for x86-64.
const errMode = cutError("the program executes 32-bit code")
