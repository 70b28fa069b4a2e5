package gdbremote

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// Options configure Serve.
type Options struct {
	Role    session.Role
	NoWrite bool // do not write memory and registers
	Record  bool // continue records every instruction from the start
	Log     *slog.Logger
}

// A client holds the state that all packets need: of the client, its session and the
// connection. It is used by the goroutine of Serve only, and so are all parts of a server.
type client struct {
	Options
	conn     *packet.Conn
	packets  <-chan packet.Packet // closed when the input ends
	queued   []packet.Packet      // received while the process was running
	sessions *session.Registry
	s        *session.Session

	features        clientFeatures
	thread          int    // selected for registers and memory, 0 for the current one
	shownStop       uint64 // number of the last stop that was reported to the client
	mirrorAnnounced bool   // the client was told that it is a mirror
	closing         bool   // the connection ends after this packet
}

// gateTime limits the wait for a session that is in use. Clients wait 2 seconds
// for most replies.
const gateTime = 1500 * time.Millisecond

// An errno is an error that clients identify by its number.
type errno string

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

// errorReply returns the reply for an error: E and a text, which gdb prints.
func errorReply(err error) []byte {
	var number errno
	if errors.As(err, &number) {
		return []byte(number)
	}
	return []byte("E." + oneLine(err.Error()))
}

// inside calls f while holding the gate of the session, after it made sure that
// the session is stopped at the position that the client was shown.
func (c *client) inside(ctx context.Context, f func() ([]byte, error)) ([]byte, error) {
	return c.locked(ctx, func() ([]byte, error) {
		if _, stops, _ := c.s.LastStop(); stops != c.shownStop {
			return nil, errMoved
		}
		return f()
	})
}

// locked calls f while holding the gate of the session, which is stopped at any
// position.
func (c *client) locked(ctx context.Context, f func() ([]byte, error)) ([]byte, error) {
	leave, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return f()
}

// acquire waits up to gateTime until the session is stopped and not in use, and
// returns the function that releases it.
func (c *client) acquire(ctx context.Context) (func(), error) {
	limited, cancel := context.WithTimeout(ctx, gateTime)
	defer cancel()
	_, leave, err := c.s.Acquire(limited)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, errRunning
	}
	if err != nil {
		return nil, err
	}
	if err := c.s.RequireStopped(); err != nil {
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
func (c *client) requireWritable() error {
	switch {
	case c.Role == session.Mirror:
		return errReadOnly
	case c.NoWrite:
		return failure.Denied("the server was started with --no-write")
	}
	return c.s.RequireChangeable()
}

// clientFeatures holds the features of the client that affect replies.
type clientFeatures struct {
	multiprocess           bool // thread ids include the process
	swbreak, hwbreak, exec bool // supported as reasons of stops
}

// print shows a text on the client's console. That is possible only while the
// client waits for a stop. An error is also returned by the next reply.
func (c *client) print(text string) {
	for text != "" {
		n := min(len(text), maxPrinted)
		_ = c.conn.Write(append([]byte("O"), hex.EncodeToString([]byte(text[:n]))...))
		text = text[n:]
	}
}

// threadID formats a thread in the form that the client expects (section E.1.1).
func (c *client) threadID(thread int) string {
	if c.features.multiprocess {
		return fmt.Sprintf("p%x.%x", c.s.Target.ProcessID(), thread)
	}
	return fmt.Sprintf("%x", thread)
}

// parseThread parses a thread id, with or without a process.
func (c *client) parseThread(text string) (int, error) {
	if rest, ok := strings.CutPrefix(text, "p"); ok {
		process, thread, several := strings.Cut(rest, ".")
		if pid, err := parseHex(process); process != "-1" && process != "0" && (err != nil || int(pid) != c.s.Target.ProcessID()) {
			return 0, errArgument
		}
		if text = thread; !several {
			text = "-1"
		}
	}
	if text == "-1" || text == "0" {
		return anyThread, nil
	}
	id, err := parseHex(text)
	return int(id), err
}

// anyThread is the value of parseThread for "any" and "all".
const anyThread = 0

func (c *client) endedProcess() string {
	if c.features.multiprocess {
		return fmt.Sprintf(";process:%x", c.s.Target.ProcessID())
	}
	return ""
}

// next returns the next packet. Packets that were queued while the process was
// running come first.
func (c *client) next() (packet.Packet, bool) {
	if len(c.queued) > 0 {
		p := c.queued[0]
		c.queued = c.queued[1:]
		return p, true
	}
	p, ok := <-c.packets
	return p, ok
}

func (e errno) Error() string { return "error " + string(e) }
