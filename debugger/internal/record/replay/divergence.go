package replay

import "fmt"

// A DivergenceError reports that a replay is not the same as the recorded run.
type DivergenceError struct {
	Position uint64
	Problem  string
}

// Error implements error.
func (e *DivergenceError) Error() string {
	return fmt.Sprintf("the replay diverges from the recording at position %d: %s", e.Position, e.Problem)
}
