package rulesets

import (
	"context"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/rulesets/internal/lastread"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// sessionKey begins the [mcp.Call.StateKey] of a client with a session.
const sessionKey = "session:"

// openReads opens the record of what clients have read: on the server of the store, where
// all servers of that store share it, or else in memory.
func openReads(ctx context.Context, env host.Env) (lastread.Record, error) {
	onServer, url, err := storeServer(env)
	if err != nil || !onServer {
		return lastread.NewMemory(), err
	}
	return lastread.OpenValkey(ctx, url, env.StorePrefix, env.Logger), nil
}

// readerOf returns the identity of the client of a call. ok is false for clients that named
// no revision: nothing beyond the documents is checked for them.
func readerOf(call *mcp.Call) (who lastread.Reader, ok bool) {
	caller := call.Caller()
	who = lastread.Reader{Principal: caller.Principal.ID, Local: caller.Connection}
	if caller.Session != nil {
		who.Session = caller.Session.ID
	} else {
		who.Program, who.Addr = call.ClientName(), caller.Addr
	}
	return who, !call.Baseline()
}

// reads holds what clients have read, which their changes start from.
type reads struct{ lastread.Record }

// saw records that a client read a ruleset. A revision that it asked for by number or
// label, or whose label its key has, may be older than the one that it has read last, which
// then stays.
func (s reads) saw(ctx context.Context, call *mcp.Call, r *ruleset.Ruleset, chosen bool) {
	who, ok := readerOf(call)
	if !ok || r.Rev == 0 {
		return
	}
	if chosen {
		if last, err := s.Last(ctx, who, r.Name); err != nil || last >= r.Rev {
			return
		}
	}
	if err := s.Read(ctx, who, r.Name, r.Rev); err != nil {
		call.Logger().Warn("recording what a client has read", "error", err)
	}
}

// knows records the revision of a ruleset after a client changed it, 0 if it is gone.
func (s reads) knows(ctx context.Context, call *mcp.Call, name ruleset.Name, rev int) {
	who, ok := readerOf(call)
	if !ok {
		return
	}
	if err := s.Read(ctx, who, name, rev); err != nil {
		call.Logger().Warn("recording what a client has changed", "error", err)
	}
}

// expected returns the revision that a change is checked against: the one that the client
// gave, 0 for no check, or else the one that it read last.
func (s reads) expected(ctx context.Context, call *mcp.Call, name ruleset.Name, given *int) (baseRev, error) {
	if given != nil {
		return baseRev{number: *given}, nil
	}
	who, ok := readerOf(call)
	if !ok {
		return baseRev{}, nil
	}
	rev, err := s.Last(ctx, who, name)
	return baseRev{number: rev, read: true}, err
}

// A baseRev is the revision that a change starts from.
type baseRev struct {
	number int  // 0 if it is not known
	read   bool // the client has read it, and did not give it
}

// end forgets the reads of a session.
func (s reads) end(key string) {
	if session, ok := strings.CutPrefix(key, sessionKey); ok {
		s.End(session)
	}
}

// expectBatch gives the operations of a batch that change a text the revision that the client
// read last, if they have none. It returns the names of those. Of several operations on one
// ruleset the first that changes it is checked: a label changes none.
func (s reads) expectBatch(ctx context.Context, call *mcp.Call, changes []Change) (implied map[ruleset.Name]bool, err error) {
	implied, seen := map[ruleset.Name]bool{}, map[string]bool{}
	for i := range changes {
		c := &changes[i]
		if c.Op == "label" {
			continue
		}
		first := !seen[c.Name]
		seen[c.Name] = true
		if !first || c.IfRev != nil || c.Op != "update" && c.Op != "put" && c.Op != "delete" {
			continue
		}
		base, err := s.expected(ctx, call, ruleset.Name(c.Name), nil)
		if err != nil {
			return nil, err
		}
		if base.number != 0 {
			c.IfRev, implied[ruleset.Name(c.Name)] = &base.number, true
		}
	}
	return implied, nil
}

// knowsBatch records the revisions of rulesets after a batch of a client, as far as it knows
// their texts: it has given all of a text or has read the one before.
func (s reads) knowsBatch(ctx context.Context, call *mcp.Call, changes []Change, applied []AppliedChange) {
	known := map[ruleset.Name]bool{}
	for i := range applied {
		name, c := ruleset.Name(applied[i].Name), &changes[i]
		switch applied[i].Status {
		case statuses[ruleset.Deleted]:
			known[name] = false
			s.knows(ctx, call, name, 0)
		case statuses[ruleset.Created]:
			known[name] = true
		case statuses[ruleset.Updated]:
			known[name] = known[name] || c.Op == "put" || orZero(c.IfRev) != 0
		}
		if known[name] && applied[i].Rev != 0 {
			s.knows(ctx, call, name, applied[i].Rev)
		}
	}
}
