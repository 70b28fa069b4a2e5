package bugs

import (
	"errors"
	"fmt"
)

// ErrNothingToCompare means that a request names neither a place, nor a signal,
// nor a class of bugs.
var ErrNothingToCompare = errors.New("nothing to compare with: no file and line, no signal and no class of bugs")

// A PathError reports a search path, or the file of a site, that cannot be read.
type PathError struct {
	Path   string // as it was given
	Denied bool   // the path exists or not, but lies outside of the roots
	Err    error  // why; nil when it is denied
}

func (e *PathError) Error() string {
	if e.Denied {
		return fmt.Sprintf("%s lies outside of the folders that may be searched", e.Path)
	}
	return fmt.Sprintf("cannot search %s: %v", e.Path, e.Err)
}

// Unwrap is the reason.
func (e *PathError) Unwrap() error { return e.Err }
