package console

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/transport/streamable"
)

// overview shows what needs the visitor, the state of the server and who is signed in.
func (c *Console) overview(v *visit) error {
	return v.show("overview", "Overview", map[string]any{"Caller": v.caller, "Needs": v.needs(), "Facts": v.facts()})
}

// facts returns the state of the server, nil if the visitor may not know it.
func (v *visit) facts() []Fact {
	if v.c.cfg.Health == nil || !v.may(AdminScope) {
		return nil
	}
	if v.health == nil {
		v.health = v.c.cfg.Health(v.r.Context())
	}
	return v.health
}

// showSessions shows the clients whose sessions are open, last used first.
func (c *Console) showSessions(v *visit) error {
	page := map[string]any{}
	var servers []Server
	if c.cfg.Servers != nil {
		var err error
		if servers, err = c.cfg.Servers(v.r.Context()); err != nil { // what this server has is shown all the same
			page["ServersError"] = err.Error()
		}
		page["Servers"] = servers
	}
	shown, paging := cut(v, openSessions(c.cfg.Sessions(), servers))
	ids := make([]string, len(shown))
	for i := range shown {
		ids[i] = shown[i].Principal
	}
	page["Sessions"], page["Paging"], page["Names"] = shown, paging, v.keyNames(ids)
	return v.show("sessions", "Sessions", page)
}

// An openSession is a session of a client and the server that it last used, "" for this one.
type openSession struct {
	streamable.SessionInfo
	Server string
}

// openSessions returns the sessions of this server and of the others, last used first. A session
// that several have is shown as the server sees it that was used last.
func openSessions(here []streamable.SessionInfo, servers []Server) []openSession {
	latest := map[string]openSession{}
	add := func(server string, all []streamable.SessionInfo) {
		for _, s := range all {
			if known, ok := latest[s.ID]; !ok || s.Used.After(known.Used) {
				latest[s.ID] = openSession{s, server}
			}
		}
	}
	add("", here)
	for _, one := range servers {
		add(one.Name, one.Open)
	}
	return slices.SortedFunc(maps.Values(latest), func(a, b openSession) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID))
	})
}

// A Server is one of the servers of a store, as it was when it last showed that it runs.
type Server struct {
	Name, URL                    string
	Sessions, Streams, Debugging int64
	Seen                         time.Time
	Here, Late                   bool                     // it is this server; it has not shown lately that it runs
	Open                         []streamable.SessionInfo // the sessions at another server
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
