package recording

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

// cutError ends a recording for a reason.
type cutError string

func (e cutError) Error() string { return string(e) }

// errMode ends a recording of a program that is not for x86-64.
const errMode = cutError("the program executes 32-bit code")

// errTooMany ends a recording that a reader would refuse.
const errTooMany = cutError("the recording has reached the largest size, 2 GiB before compression")

// errFull ends a recording whose writer is full.
const errFull = cutError("its file has reached the largest size")

// errRingFull ends a recording in a Ring in which no other segment could begin.
const errRingFull = cutError("its file has reached the largest size, and the program has too much memory to begin there again")
