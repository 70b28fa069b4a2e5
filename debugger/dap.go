package debugger

import (
	"context"
	"io"
	"log/slog"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/dap"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// ServeDAP serves one client of the Debug Adapter Protocol, such as an editor.
// Its requests launch and attach begin a session, which ends with the
// conversation, both by calls of tools: call calls one and returns the id of
// the session. The family is open.
func (c *Config) ServeDAP(ctx context.Context, conn io.ReadWriteCloser, call func(ctx context.Context, tool string, arguments map[string]any) (string, error), log *slog.Logger) error {
	return dap.Serve(ctx, conn, c.sessions, nil, dap.Options{Role: session.Owner, NoWrite: c.Live.NoWrite, Log: log, Call: call})
}
