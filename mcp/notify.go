package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// newsEvery is the time for which changes are gathered before clients are notified of
// them: a thousand writes in a row are one message.
const newsEvery = 50 * time.Millisecond

// maxNewsURIs bounds how many changed resources are remembered between two
// deliveries; beyond it the change of the list stands for them.
const maxNewsURIs = 10_000

// A tableSet is a set of tables, one bit for each by its number in the server.
type tableSet uint64

// maxTables is the number of tables that a tableSet can hold.
const maxTables = 64

// allTables is the set of all tables, for changes that concern every client.
const allTables = ^tableSet(0)

// A change gathers the changes between two deliveries: the tables whose lists
// changed, and the URIs of resources that did.
type change struct {
	tools, prompts, resources tableSet
	uris                      map[string]struct{}
}

// news gathers changes until they are delivered. Any goroutine adds; the one of
// [Server.Run] takes.
type news struct {
	mu      sync.Mutex
	pending change
	wake    chan struct{} // holds one token while something is pending
}

// init makes the channel that wakes the sender. It holds one value: a second change
// before the sender has looked needs no second one.
func (n *news) init() { n.wake = make(chan struct{}, 1) }

// add changes what is pending and wakes the sender. It never blocks, so that families
// may call it with their own locks held.
func (n *news) add(f func(*change)) {
	n.mu.Lock()
	f(&n.pending)
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default: // already woken
	}
}

// take returns what is pending, and leaves nothing.
func (n *news) take() change {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.pending
	n.pending = change{}
	return c
}

// tableNews are the [Changes] of some tables.
type tableNews struct {
	news   *news
	tables tableSet
}

// ToolsChanged, PromptsChanged and ResourcesChanged announce that a list of the table
// has changed. Several before the next notification are sent as one.
func (n tableNews) ToolsChanged()     { n.news.add(func(c *change) { c.tools |= n.tables }) }
func (n tableNews) PromptsChanged()   { n.news.add(func(c *change) { c.prompts |= n.tables }) }
func (n tableNews) ResourcesChanged() { n.news.add(func(c *change) { c.resources |= n.tables }) }

// ResourceUpdated announces that a resource has changed, to those that have subscribed
// to it. Beyond maxNewsURIs, all resources of the table count as changed.
func (n tableNews) ResourceUpdated(uri string) {
	n.news.add(func(c *change) {
		if c.uris == nil {
			c.uris = map[string]struct{}{}
		}
		if len(c.uris) < maxNewsURIs {
			c.uris[uri] = struct{}{}
		} else {
			c.resources |= n.tables
		}
	})
}

// Changes returns the functions that a program calls when it changes what is served.
// Changes of a list are reported to every caller who may see a list of that kind; those
// that a table's Watch reports only to callers who may see that table's.
func (s *Server) Changes() Changes { return tableNews{&s.news, allTables} }

// Run watches what the tables serve and notifies clients of changes until ctx is done. It
// returns when all that it started has ended, with the errors of the tables' watches. A
// watch that fails does not end the others: clients then miss changes of other processes,
// which the log says. It must be called once.
func (s *Server) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make([]error, len(s.tables))
	for i, t := range s.tables {
		if t.Watch == nil {
			continue
		}
		wg.Go(func() {
			if err := t.Watch(ctx, tableNews{&s.news, 1 << i}); err != nil && ctx.Err() == nil {
				s.cfg.Logger.Warn("changes of other processes are not seen", "family", t.Family, "err", err)
				errs[i] = fmt.Errorf("watch %s: %w", t.Family, err)
			}
		})
	}
	if s.cfg.Tasks != nil {
		wg.Go(func() { s.watchTasks(ctx) })
		wg.Go(func() { s.syncTasks(ctx) })
	}
	s.deliver(ctx)
	wg.Wait()
	return errors.Join(errs...)
}

// deliver notifies every listener of changes, at most once in newsEvery, until ctx is
// done. It sends to one after the other; a sender does not block (see [jsonrpc.Sender] of
// the transports).
func (s *Server) deliver(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.news.wake:
		}
		c := s.news.take()
		if c.tools != 0 {
			s.rendered.Clear()
		}
		for _, h := range s.listeners() {
			h.notifyChange(ctx, &c)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(newsEvery):
		}
	}
}

// listeners returns the handlers of connections that can be sent to. mu is not held
// while anything is sent.
func (s *Server) listeners() []*Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Handler, 0, len(s.bound))
	for h := range s.bound {
		all = append(all, h)
	}
	return all
}

// notifyChange notifies one client: its legacy session, if it has one past its handshake,
// and each of its listen requests. What the caller may not see is left out.
func (h *Handler) notifyChange(ctx context.Context, c *change) {
	if s := h.caller.Session; s != nil && h.caller.Unsolicited && s.ready.Load() {
		mine := h.server.visible(h.caller.Principal)
		mine.tools, mine.prompts, mine.resources = mine.tools&c.tools, mine.prompts&c.prompts, mine.resources&c.resources
		mine.uris = c.uris
		h.send(ctx, &mine, s.Revision().Has(DocumentedShapes), s.subscribed, nil)
	}
	for _, l := range h.book.all() {
		l.notifyChange(ctx, h, c)
	}
}

// send sends the notifications of a change; params are added to each. The documents
// promise baseline clients none, for which silent is set.
func (h *Handler) send(ctx context.Context, c *change, silent bool, wants func(uri string) bool, params []byte) {
	if silent {
		return
	}
	for _, row := range []struct {
		tables tableSet
		method string
	}{
		{c.tools, "notifications/tools/list_changed"},
		{c.prompts, "notifications/prompts/list_changed"},
		{c.resources, "notifications/resources/list_changed"},
	} {
		if row.tables != 0 {
			h.notify(ctx, row.method, params)
		}
	}
	for uri := range c.uris {
		if wants(uri) {
			h.notify(ctx, "notifications/resources/updated", updatedParams(uri, params))
		}
	}
}

// updatedParams joins the uri to params, which are nil or an object.
func updatedParams(uri string, params []byte) []byte {
	dst := jsonrpc.AppendString([]byte(`{"uri":`), uri)
	if params == nil {
		return append(dst, '}')
	}
	return append(append(dst, ','), params[1:]...)
}

// notify sends a notification. One that cannot be sent is logged and dropped: the
// connection ends, or its client does not read.
func (h *Handler) notify(ctx context.Context, method string, params []byte) {
	if err := h.caller.Send.Notify(ctx, method, params); err != nil {
		h.server.cfg.Logger.Debug("notification not sent", "method", method, "err", err)
	}
}

// A Level is the severity of a log message to the client (RFC 5424, section 6.2.1).
// A legacy client sets the least severe level that it wants by logging/setLevel, a
// modern one in the _meta of each request; without it nothing is sent.
type Level int

// The levels, rising.
const (
	LevelDebug Level = iota
	LevelInfo
	LevelNotice
	LevelWarning
	LevelError
	LevelCritical
	LevelAlert
	LevelEmergency
	levelOff // nothing is sent before the client asked
)

// levels are the names of the levels by their number: those of RFC 5424, least severe
// first.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// String returns the level's name on the wire. It must be one of the constants.
func (l Level) String() string { return levels[l] }

// parseLevel returns the level with a name, and whether there is one.
func parseLevel(name string) (Level, bool) {
	for i, n := range levels {
		if n == name {
			return Level(i), true
		}
	}
	return levelOff, false
}

// levelNames lists the names for error texts.
func levelNames() string { return strings.Join(levels[:], ", ") }
