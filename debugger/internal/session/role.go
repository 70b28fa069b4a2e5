package session

import (
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"syscall"
)

// A Role determines what a person's debugger may do with a session.
type Role uint8

// The roles.
const (
	Mirror  Role = iota // follow the session, and change nothing
	Control             // drive it together with the tools
	Owner               // also end it: the session is its own
)

// ends are the errors that report the end of a connection, on either side.
var ends = []error{io.EOF, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed, syscall.ECONNRESET, syscall.EPIPE}

// UnlessGone drops an error that only reports that the connection to a person's
// debugger has ended.
func UnlessGone(err error) error {
	if slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) }) {
		return nil
	}
	return err
}

var errPast = errors.New("the past cannot be changed; continue goes to the present")

// RequireChangeable returns an error unless a person's debugger can change the
// process at the position it is shown: there is a process, and it is looked at
// in the present.
func (s *Session) RequireChangeable() error {
	if err := s.Target.RequireProcess(); err != nil {
		return err
	}
	if s.Timeline.InPast() {
		return errPast
	}
	return nil
}
