package servecmd

import (
	"context"
	"time"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/console"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/peers"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// late is the time after which a server that has not shown that it runs is marked. Servers
// show it every four seconds.
const late = 15 * time.Second

// shareLoad lets the other servers of the store know what clients have open at the
// endpoint, and returns what lists all of them; nil without a store.
func (a commands) shareLoad(s *services, endpoint *streamable.Handler) func(context.Context) ([]console.Server, error) {
	if s.registry == nil {
		return nil
	}
	s.registry.SetLoad(func() peers.Load {
		load := peers.Load{Sessions: endpoint.SessionUsage().Used, Streams: endpoint.StreamUsage().Used}
		if a.serves("debugger") {
			load.Debugging = int64(a.app.Configs.Debugger.SessionCount())
		}
		return load
	})
	s.registry.SetSessions(endpoint.SessionInfos)
	return func(ctx context.Context) ([]console.Server, error) {
		running, err := s.registry.Servers(ctx)
		if err != nil {
			return nil, err
		}
		all := make([]console.Server, len(running))
		for i, r := range running {
			all[i] = console.Server{
				Name: r.Name, URL: r.URL, Sessions: r.Load.Sessions, Streams: r.Load.Streams, Debugging: r.Load.Debugging,
				Seen: a.app.Now().Add(-r.Seen), Here: r.Self, Late: r.Seen > late, Open: r.Sessions,
			}
		}
		return all, nil
	}
}
