package gdbremote

import (
	"context"
	"errors"
	"io"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote/packet"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// Serve serves one client until it disconnects, ends the session or ctx is done.
// It then closes the connection and clears the client's breakpoints.
func Serve(ctx context.Context, conn io.ReadWriteCloser, sessions *session.Registry, s *session.Session, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	packets := make(chan packet.Packet)
	v := newServer(&client{Options: o, conn: packet.NewConn(conn), packets: packets, sessions: sessions, s: s})
	read := make(chan error, 1)
	go func() {
		defer close(packets)
		read <- v.read(ctx, packets)
	}()
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err := v.serve(ctx)
	cancel()
	unhook()
	closeErr := conn.Close()
	v.breakpoints.clearAll()
	if o.Role == session.Owner {
		err = errors.Join(err, sessions.EndIfExited(s, nil))
	}
	readErr := <-read
	if v.client.closing {
		readErr = nil // the connection was closed on this side
	}
	return errors.Join(err, session.UnlessGone(readErr), session.UnlessGone(closeErr))
}

// read sends packets to a channel until the connection ends.
func (v *server) read(ctx context.Context, to chan<- packet.Packet) error {
	for {
		p, err := v.client.conn.Read()
		if err != nil {
			return err
		}
		select {
		case to <- p:
		case <-ctx.Done():
			return nil
		}
	}
}

// serve handles packets in order.
func (v *server) serve(ctx context.Context) error {
	_, v.client.shownStop, _ = v.client.s.LastStop()
	for !v.client.closing {
		p, ok := v.client.next()
		if !ok {
			return nil
		}
		if p.Interrupt { // the process is already stopped
			continue
		}
		v.client.sessions.Touch(v.client.s)
		answer, err := v.handle(ctx, string(p.Data))
		if err != nil {
			answer = errorReply(err)
		}
		if answer == nil && v.client.closing { // the client has disconnected
			return nil
		}
		if err := v.client.conn.Write(answer); err != nil {
			return session.UnlessGone(err)
		}
	}
	return nil
}

// A server serves one client. Its parts answer the packets; each uses only those before
// it.
type server struct {
	client      *client
	registers   *registers
	objects     *objects
	breakpoints *breakpoints
	threads     *threads
	replies     *replies
	moves       *moves
	monitor     *monitor

	commands []command
}

func newServer(c *client) *server {
	v := &server{client: c, registers: &registers{client: c}, threads: &threads{client: c}}
	v.objects = &objects{client: c, registers: v.registers}
	v.breakpoints = &breakpoints{client: c, set: map[string]*stepping.Breakpoint{}, callReturns: map[*stepping.Breakpoint]bool{}}
	v.replies = &replies{client: c, breakpoints: v.breakpoints}
	v.moves = &moves{client: c, replies: v.replies}
	v.monitor = &monitor{client: c, moves: v.moves}
	v.commands = v.table()
	return v
}
