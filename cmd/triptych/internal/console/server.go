package console

import (
	"cmp"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// overview shows the state of the server and who is signed in.
func (c *Console) overview(v *visit) error {
	page := map[string]any{"Caller": v.caller}
	if c.cfg.Health != nil && v.may(AdminScope) {
		page["Facts"] = c.cfg.Health(v.r.Context())
	}
	return v.show("overview", "Overview", page)
}

// showSessions shows the clients whose sessions are open, last used first.
func (c *Console) showSessions(v *visit) error {
	all := c.cfg.Sessions()
	slices.SortFunc(all, func(a, b streamable.SessionInfo) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID))
	})
	shown, paging := cut(v, all)
	page := map[string]any{"Sessions": shown, "Paging": paging}
	if c.cfg.Servers != nil {
		servers, err := c.cfg.Servers(v.r.Context())
		if err != nil { // what this server has is shown all the same
			page["ServersError"] = err.Error()
		}
		page["Servers"] = servers
	}
	return v.show("sessions", "Sessions", page)
}

// A Server is one of the servers of a store, as it was when it last showed that it runs.
type Server struct {
	Name, URL                    string
	Sessions, Streams, Debugging int64
	Seen                         time.Time
	Here, Late                   bool // it is this server; it has not shown lately that it runs
}

// showDebugging shows what is being debugged. It changes nothing.
func (c *Console) showDebugging(v *visit) error {
	return v.show("debugger", "Debugger", map[string]any{"Sessions": c.cfg.Debugging(v.r.Context())})
}

// A bar is the place of a session in its history, for a meter.
type bar struct{ Low, High, At uint64 }

// historyBar returns the place in the history, nil without one.
func historyBar(s debugger.SessionInfo) *bar {
	if s.History == nil {
		return nil
	}
	return &bar{Low: s.History.Oldest, High: s.History.End, At: s.History.Position}
}
