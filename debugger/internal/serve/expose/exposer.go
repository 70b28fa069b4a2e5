package expose

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/dap"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// An Exposer offers sessions to clients.
type Exposer struct {
	Sessions *session.Registry
	NoWrite  bool
	Log      *slog.Logger
	// Record records connections to sessions; nil records none. A client whose
	// connection cannot be recorded is disconnected.
	Record func(Connection) error

	mu     sync.Mutex
	open   map[offer]*Listener
	closed bool
	wg     sync.WaitGroup
}

// A Connection is that of a person's debugger to a session.
type Connection struct {
	Session  string
	Protocol Protocol
	Control  bool // it may move and change the process
	Ended    bool // it has ended now
}

// An offer is a session with what its clients may do.
type offer struct {
	session  string
	protocol Protocol
	control  bool
}

// A Protocol is a protocol of clients.
type Protocol string

// The protocols.
const (
	GDB Protocol = "gdb" // GDB remote serial protocol
	DAP Protocol = "dap" // Debug Adapter Protocol, of editors
)

// address returns where the protocol's clients can connect: editors know ports
// only.
func (p Protocol) address() string {
	if p == DAP && peersKnown {
		return "127.0.0.1:0"
	}
	return ""
}

// Expose offers a session as a mirror, or to be driven, until it ends. It
// returns the path of a socket; a second call returns the same one.
func (e *Exposer) Expose(ctx context.Context, s *session.Session, p Protocol, control bool) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	key := offer{s.ID, p, control}
	if l := e.open[key]; l != nil {
		return l.Address(), nil
	}
	if e.closed {
		return "", failure.Denied("the server is about to end")
	}
	l, err := Listen(context.WithoutCancel(ctx), p.address(), e.Log)
	if err != nil {
		return "", err
	}
	if e.open == nil {
		e.open = map[offer]*Listener{}
	}
	e.open[key] = l
	role := session.Mirror
	if control {
		role = session.Control
	}
	e.wg.Go(func() { e.accept(l, s, p, role) })
	e.wg.Go(func() { e.endWith(s, key, l) })
	return l.Address(), nil
}

// endWith closes the socket when the session ends.
func (e *Exposer) endWith(s *session.Session, key offer, l *Listener) {
	<-s.Inspector.Life.Done()
	e.mu.Lock()
	delete(e.open, key)
	e.mu.Unlock()
	if err := l.Close(); err != nil {
		e.Log.Warn("a socket could not be removed", "addr", l.Address(), "err", err)
	}
}

// accept serves clients until the socket is closed.
func (e *Exposer) accept(l *Listener, s *session.Session, p Protocol, role session.Role) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		e.wg.Go(func() { e.serve(conn, s, p, role) })
	}
}

func (e *Exposer) serve(conn net.Conn, s *session.Session, p Protocol, role session.Role) {
	log := e.Log.With("session", s.ID, "protocol", p, "control", role == session.Control)
	c := Connection{Session: s.ID, Protocol: p, Control: role == session.Control}
	if err := e.record(c); err != nil {
		log.Warn("a debugger was refused, as its connection cannot be recorded", "err", errors.Join(err, conn.Close()))
		return
	}
	log.Info("a debugger has connected to a session")
	var err error
	if p == DAP {
		// It tells the client of the session's end and then disconnects it.
		err = dap.Serve(context.WithoutCancel(s.Inspector.Life), conn, e.Sessions, s, dap.Options{Role: role, NoWrite: e.NoWrite, Log: e.Log})
	} else {
		err = gdbremote.Serve(s.Inspector.Life, conn, e.Sessions, s, gdbremote.Options{Role: role, NoWrite: e.NoWrite, Log: e.Log})
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		log.Warn("a connection to a session has failed", "err", err)
	}
	c.Ended = true
	log.Info("a debugger has disconnected from a session", "err", e.record(c))
}

func (e *Exposer) record(c Connection) error {
	if e.Record == nil {
		return nil
	}
	return e.Record(c)
}

// Close refuses further sessions and waits until those that were exposed have
// ended.
func (e *Exposer) Close() {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.wg.Wait()
}

// ServeOwner serves one client that owns a session: its kill and detach end the
// session.
func ServeOwner(ctx context.Context, conn io.ReadWriteCloser, r *session.Registry, id string, o gdbremote.Options) error {
	for _, s := range r.All() {
		if s.ID == id {
			o.Role = session.Owner
			if err := s.LeavePanics(ctx); err != nil {
				return err
			}
			return gdbremote.Serve(ctx, conn, r, s, o)
		}
	}
	return failure.NotAttached("the session has ended")
}
