package servecmd

import (
	"context"
	"net/http"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/buildinfo"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/markdown"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/snapshots"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/routes"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// table returns all that the listener of a server serves. What is in no row is not served.
func (s *server) table(endpoint http.Handler) (routes.Config, error) {
	table := tableOf(s.endpoint, s.services.recorder)
	table.BodyRate, table.Around = int64(s.flags.budgets.bodyRate), s.around
	table.Routes = []routes.Route{
		{Path: "/mcp", Body: routes.Own, Refuse: s.endpoint.RefuseRequest, Handler: endpoint},
		{Path: "/mcp/", Body: routes.Own, Refuse: s.endpoint.RefuseRequest, Handler: endpoint}, // some clients add a slash
		{
			Method: http.MethodGet, Path: "/mcp/rulesets", Callers: s.endpoint, Refuse: s.endpoint.RefuseRequest,
			Cost: routes.Cost{Memory: snapshotMemory}, Time: snapshotTime, Handler: snapshots.Handler(endpoint),
		},
	}
	if s.login != nil {
		table.Routes = append(table.Routes, s.login.Routes()...)
	} else {
		table.Routes = append(table.Routes, s.tokens.routes()...)
	}
	table.Routes = append(table.Routes, s.invitations().Routes()...)
	table.Routes = append(table.Routes, s.cardRoutes(buildinfo.PublicFacts())...)
	list, err := s.registryRoutes(buildinfo.PublicFacts())
	if err != nil {
		return table, err
	}
	table.Routes = append(table.Routes, list...)
	skills, err := s.skillRoutes()
	if err != nil {
		return table, err
	}
	table.Routes = append(table.Routes, skills...)
	pages, err := s.openConsole()
	if pages != nil {
		table.Routes = append(table.Routes, pages.Routes()...)
	}
	return table, err
}

// The memory and the time of a snapshot of all rulesets.
const (
	snapshotMemory = 4 << 20
	snapshotTime   = time.Minute
)

// openConsole returns the console, nil if there is none.
func (s *server) openConsole() (*console.Console, error) {
	cfg := s.consoleConfig(s.endpoint, s.auth, s.services.recorder, s.services.keys, s.env)
	cfg.Plan, cfg.Servers = s.plan, s.shareLoad(&s.services, s.endpoint)
	return consoleOf(s.flags, cfg, &s.services, s.facts)
}

// tableOf returns a table without rows that charges the budgets of an endpoint, and counts and
// logs refusals as the endpoint does.
func tableOf(endpoint *streamable.Handler, r *recorder.Recorder) routes.Config {
	return routes.Config{
		Bodies: endpoint.BodyHold, Answers: endpoint.AnswerHold, Served: r.Metrics().Served,
		Refused: func(ctx context.Context, caller *host.Caller, status int, reason string) {
			r.RecordRefusal(ctx, caller, &streamable.Refusal{Status: status, Error: jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s", reason)})
		},
	}
}

// renderer returns what renders Markdown for the console, nil where this program cannot be
// found to do it.
func renderer() func(context.Context, string) (string, error) {
	worker, ok := markdown.Self()
	if !ok {
		return nil
	}
	return markdown.New(worker).Render
}
