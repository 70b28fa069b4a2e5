package servecmd

import (
	"context"
	"net"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/https"
)

// certificates returns the certificates of --acme-host, --tls-cert or the data folder, nil with
// --plain-http.
func (f *serveFlags) certificates(env host.Env) (*https.Certificates, error) {
	switch {
	case f.plain:
		return nil, nil
	case len(f.acme.hosts) > 0:
		return f.acme.certificates(filepath.Join(env.Data, "tls", "acme"), env.Logger)
	case f.cert != "":
		return https.LoadCertificates(f.cert, f.key, env.Logger)
	}
	return https.SelfSigned(filepath.Join(env.Data, "tls"), f.names(), env.Logger)
}

// listenMetrics binds the listener of the metrics, nil without --metrics-listen.
func (f *serveFlags) listenMetrics(ctx context.Context) (net.Listener, error) {
	if f.metrics == "" {
		return nil, nil
	}
	where := f.metrics
	if strings.HasPrefix(where, ":") {
		where = "127.0.0.1" + where
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", where)
	if err != nil {
		return nil, cmderr.WithHints(err, "choose another address with --metrics-listen")
	}
	return listener, nil
}
