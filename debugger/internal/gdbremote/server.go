package gdbremote

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
)

// A Role says what a client may do with a session.
type Role uint8

// The roles, see the package comment.
const (
	Mirror Role = iota
	Control
	Owner
)

// Options configure Serve.
type Options struct {
	Role    Role
	NoWrite bool // memory and registers are not written
	Record  bool // continue records every instruction from the beginning
	Log     *slog.Logger
}

// gateTime bounds the wait for a session that others use. Clients wait 2
// seconds for most answers.
const gateTime = 1500 * time.Millisecond

// A server serves one client.
type server struct {
	Options
	conn     *packet.Conn
	packets  <-chan packet.Packet // closed at the end of the input
	sessions *session.Registry
	s        *session.Session

	client          clientFeatures
	thread          int                             // of registers and memory, 0 for the current one
	breakpoints     map[string]*stepping.Breakpoint // by the arguments of their packets
	callReturns     map[*stepping.Breakpoint]bool   // those that functions return to that gdb calls
	queued          []packet.Packet                 // that arrived while the process was running
	shownStop       uint64                          // number of the stop that the client knows
	seekTo          *uint64                         // where the next command that resumes goes
	mirrorAnnounced bool                            // the client was told that it is a mirror
	registerList    []register                      // of the target description
	closing         bool                            // the last packet ends the connection
}

// errorReply is the reply for an error: E and a text, which gdb shows.
func errorReply(err error) []byte {
	var number errno
	if errors.As(err, &number) {
		return []byte(number)
	}
	return []byte("E." + oneLine(err.Error()))
}

// An errno is an error that clients know by its number.
type errno string

func (e errno) Error() string { return "error " + string(e) }

// Errors without a text, for clients that show their own.
const (
	errAddress  errno = "E14" // EFAULT
	errArgument errno = "E22" // EINVAL
)

var (
	errMoved    = errors.New("the session shows another position now; continue goes there")
	errReadOnly = errors.New("this is a mirror, which changes nothing")
	errRunning  = errors.New("the process is running")
)

// inside calls f while it holds the gate of the session, which is stopped and
// where the client believes it to be.
func (v *server) inside(ctx context.Context, f func() ([]byte, error)) ([]byte, error) {
	return v.locked(ctx, func() ([]byte, error) {
		if _, stops, _ := v.s.LastStop(); stops != v.shownStop {
			return nil, errMoved
		}
		return f()
	})
}

// locked calls f while it holds the gate of the session, which is stopped
// anywhere.
func (v *server) locked(ctx context.Context, f func() ([]byte, error)) ([]byte, error) {
	leave, err := v.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return f()
}

// acquire waits for the session to be free and stopped, for a short time.
func (v *server) acquire(ctx context.Context) (func(), error) {
	limited, cancel := context.WithTimeout(ctx, gateTime)
	defer cancel()
	_, leave, err := v.s.Acquire(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, errRunning
	}
	if err != nil {
		return nil, err
	}
	if err := v.s.RequireStopped(); err != nil {
		leave()
		if errors.Is(err, failure.ErrRunning) {
			err = errRunning
		}
		return nil, err
	}
	return leave, nil
}

// requireWritable returns an error unless the client may change the process at
// the position that it shows.
func (v *server) requireWritable() error {
	switch {
	case v.Role == Mirror:
		return errReadOnly
	case v.NoWrite:
		return failure.Denied("the server was started with --no-write")
	}
	if err := v.s.RequireProcess(); err != nil {
		return err
	}
	if v.s.InPast() {
		return errPast
	}
	return nil
}

var errPast = errors.New("the past cannot be changed; continue goes to the present")

// ignoreEnded drops errors of a process that has ended meanwhile.
func ignoreEnded(err error) error {
	if errors.Is(err, proc.ErrExited) || errors.Is(err, proc.ErrDetached) {
		return nil
	}
	return err
}

// clientFeatures are the features of the client that change replies.
type clientFeatures struct {
	multiprocess           bool // thread ids name the process
	swbreak, hwbreak, exec bool // may be reasons of stops
}
