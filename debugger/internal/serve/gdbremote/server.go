package gdbremote

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// Options configure Serve.
type Options struct {
	Role    session.Role
	NoWrite bool // do not write memory and registers
	Record  bool // continue records every instruction from the start
	Log     *slog.Logger
}

// gateTime limits the wait for a session that is in use. Clients wait 2 seconds
// for most replies.
const gateTime = 1500 * time.Millisecond

// A server serves one client. Its fields are used by the goroutine of Serve only.
type server struct {
	Options
	conn     *packet.Conn
	packets  <-chan packet.Packet // closed when the input ends
	sessions *session.Registry
	s        *session.Session

	client          clientFeatures
	thread          int                             // selected for registers and memory, 0 for the current one
	breakpoints     map[string]*stepping.Breakpoint // the client's, by the arguments of their packets
	callReturns     map[*stepping.Breakpoint]bool   // breakpoints at the return of functions that gdb calls
	queued          []packet.Packet                 // received while the process was running
	shownStop       uint64                          // number of the last stop that was reported to the client
	alone           int                             // thread that is stepped while the others are not resumed
	untold          bool                            // the last stop reply was for that thread, and not for the current one
	caught          *stepping.Breakpoint            // at the system calls that the client catches
	seekTo          *uint64                         // position that the next resume command goes to
	mirrorAnnounced bool                            // the client was told that it is a mirror
	registerList    []register                      // registers of the target description
	closing         bool                            // the connection ends after this packet
}

// errorReply returns the reply for an error: E and a text, which gdb prints.
func errorReply(err error) []byte {
	var number errno
	if errors.As(err, &number) {
		return []byte(number)
	}
	return []byte("E." + oneLine(err.Error()))
}

// An errno is an error that clients identify by its number.
type errno string

func (e errno) Error() string { return "error " + string(e) }

// Errors without a text; clients print their own.
const (
	errAddress  errno = "E14" // EFAULT
	errArgument errno = "E22" // EINVAL
)

var (
	errMoved    = errors.New("the session shows another position now; continue goes there")
	errReadOnly = errors.New("this is a mirror, which changes nothing")
	errRunning  = errors.New("the process is running")
)

// inside calls f while holding the gate of the session, after it made sure that
// the session is stopped at the position that the client was shown.
func (v *server) inside(ctx context.Context, f func() ([]byte, error)) ([]byte, error) {
	return v.locked(ctx, func() ([]byte, error) {
		if _, stops, _ := v.s.LastStop(); stops != v.shownStop {
			return nil, errMoved
		}
		return f()
	})
}

// locked calls f while holding the gate of the session, which is stopped at any
// position.
func (v *server) locked(ctx context.Context, f func() ([]byte, error)) ([]byte, error) {
	leave, err := v.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return f()
}

// acquire waits up to gateTime until the session is stopped and not in use, and
// returns the function that releases it.
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
		if errors.Is(err, failure.ErrRunning) || errors.Is(err, failure.ErrTraveling) {
			err = errRunning
		}
		return nil, err
	}
	return leave, nil
}

// requireWritable returns an error unless the client may change the process at
// the position it was shown.
func (v *server) requireWritable() error {
	switch {
	case v.Role == session.Mirror:
		return errReadOnly
	case v.NoWrite:
		return failure.Denied("the server was started with --no-write")
	}
	return v.s.RequireChangeable()
}

// clientFeatures holds the features of the client that affect replies.
type clientFeatures struct {
	multiprocess           bool // thread ids include the process
	swbreak, hwbreak, exec bool // supported as reasons of stops
}
