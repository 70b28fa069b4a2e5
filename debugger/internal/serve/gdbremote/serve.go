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
	v := &server{
		Options: o, conn: packet.NewConn(conn), packets: packets, sessions: sessions, s: s,
		breakpoints: map[string]*stepping.Breakpoint{}, callReturns: map[*stepping.Breakpoint]bool{},
	}
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
	v.clearBreakpoints()
	if o.Role == session.Owner {
		err = errors.Join(err, sessions.EndIfExited(s, nil))
	}
	readErr := <-read
	if v.closing {
		readErr = nil // the connection was closed on this side
	}
	return errors.Join(err, session.UnlessGone(readErr), session.UnlessGone(closeErr))
}

// read sends packets to a channel until the connection ends.
func (v *server) read(ctx context.Context, to chan<- packet.Packet) error {
	for {
		p, err := v.conn.Read()
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
	_, v.shownStop, _ = v.s.LastStop()
	for !v.closing {
		p, ok := v.next()
		if !ok {
			return nil
		}
		if p.Interrupt { // the process is already stopped
			continue
		}
		v.sessions.Touch(v.s)
		answer, err := v.handle(ctx, string(p.Data))
		if err != nil {
			answer = errorReply(err)
		}
		if answer == nil && v.closing { // the client has disconnected
			return nil
		}
		if err := v.conn.Write(answer); err != nil {
			return session.UnlessGone(err)
		}
	}
	return nil
}

// next returns the next packet. Packets that were queued while the process was
// running come first.
func (v *server) next() (packet.Packet, bool) {
	if len(v.queued) > 0 {
		p := v.queued[0]
		v.queued = v.queued[1:]
		return p, true
	}
	p, ok := <-v.packets
	return p, ok
}
