package ruleset

import (
	"fmt"
	"strings"
)

// MaxListedNames is the number of names that an error lists; it counts the rest.
const MaxListedNames = 50

// A NotFoundError reports a ruleset that does not exist.
type NotFoundError struct{ Name Name }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("ruleset '%s' not found", e.Name)
}

// An ExistsError reports a name that is taken.
type ExistsError struct{ Name Name }

func (e *ExistsError) Error() string {
	return fmt.Sprintf("ruleset '%s' already exists", e.Name)
}

// A ConflictError reports that a ruleset was changed since the caller read it.
type ConflictError struct {
	Current Ruleset // as it is now
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("ruleset '%s' was changed in the meantime and is at revision %d", e.Current.Name, e.Current.Rev)
}

// An UnavailableError reports a store that cannot be reached at the moment. The
// same call may succeed later.
type UnavailableError struct {
	Store string // "Valkey", "ruleset folder"
	Err   error
}

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("%s is unavailable: %v", e.Store, e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// NameList renders names as error texts show them: [a, b, c], at most
// [MaxListedNames] of them; total is the number of all names.
func NameList(names []Name, total int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, n := range names[:min(len(names), MaxListedNames)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(n))
	}
	if more := total - min(len(names), MaxListedNames); more > 0 {
		fmt.Fprintf(&b, ", … and %d more", more)
	}
	b.WriteByte(']')
	return b.String()
}

// A TooLargeError reports a ruleset that no store keeps.
type TooLargeError struct{ Bytes int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the ruleset has %d bytes; at most %d are kept", e.Bytes, MaxBytes)
}
