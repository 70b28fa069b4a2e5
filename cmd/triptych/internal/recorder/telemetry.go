package recorder

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/telemetry"
)

// telemetryTime bounds the sending of what waits when the program ends.
const telemetryTime = 5 * time.Second

// OpenTelemetry gives the recorder of the server with a name the telemetry for the receiver
// at an endpoint, or at that of the environment. The function ends it.
func (r *Recorder) OpenTelemetry(ctx context.Context, endpoint string, env host.Env, name string) (func(), error) {
	cfg := telemetry.Config{
		Endpoint: endpoint, Getenv: env.Getenv, Version: buildinfo.Read().Version, Instance: name,
		Logger: env.Logger.With("component", "telemetry"),
	}
	if r.metrics != nil {
		cfg.Numbers = r.metrics.Gatherer()
	}
	t, err := telemetry.Open(ctx, cfg)
	if err != nil {
		return nil, cmderr.WithHints(cmderr.UsageErrorf("%v", err), "see \"Traces and metrics over OTLP\" in docs/operations.md")
	}
	r.telemetry = t
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryTime)
		defer cancel()
		if err := t.Close(ctx); err != nil {
			env.Logger.Warn("telemetry not sent", "err", err) // no reason to fail
		}
	}, nil
}
