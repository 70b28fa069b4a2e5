package debugger

import (
	"context"
	"io"
	"log/slog"
	"net"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/expose"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/gdbremote"
)

// A Connection is that of a debugger of the user's own to a session of an
// agent.
type Connection = expose.Connection

// ListenLocal listens for a debugger of the user who runs this program, at
// unix:PATH, HOST:PORT with a loopback address, or "" for a socket in a folder
// of its own. Clients of other users are disconnected.
func ListenLocal(ctx context.Context, address string, log *slog.Logger) (net.Listener, error) {
	return expose.Listen(ctx, address, log)
}

// IsListenAddress reports whether a text is an address for ListenLocal.
func IsListenAddress(text string) bool { return expose.IsAddress(text) }

// ServeGDB serves a session to one client of the GDB remote protocol, which
// owns it: its kill and detach end the session. With record, continue records
// every instruction. The family is open.
func (c *Config) ServeGDB(ctx context.Context, conn io.ReadWriteCloser, session string, record bool, log *slog.Logger) error {
	return expose.ServeOwner(ctx, conn, c.sessions, session, gdbremote.Options{NoWrite: c.Live.NoWrite, Record: record, Log: log})
}
