package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// newsEvery is the time for which changes are collected before clients are
// notified: a thousand writes in a row cause one message.
const newsEvery = 50 * time.Millisecond

// maxNewsURIs limits the changed resources that are stored between two
// deliveries. Above it, clients are notified of a change of the list instead.
const maxNewsURIs = 10_000

// A tableSet is a set of tables, with one bit for the number of each in the
// server.
type tableSet uint64

// maxTables is the number of tables that a tableSet can hold.
const maxTables = 64

// allTables is the set of all tables, for changes that concern every client.
const allTables = ^tableSet(0)

// A change collects the changes between two deliveries: the tables whose lists
// changed, and the URIs of changed resources.
type change struct {
	tools, prompts, resources tableSet
	uris                      map[string]struct{}
}

// news collects changes until they are delivered. Any goroutine may add changes;
// the goroutine of [Server.Run] takes them.
type news struct {
	mu      sync.Mutex
	pending change
	wake    chan struct{} // holds a token while changes are pending
}

// init makes the channel that wakes the sender. One token is enough: the sender
// takes all pending changes at once.
func (n *news) init() { n.wake = make(chan struct{}, 1) }

// add adds to the pending changes and wakes the sender. It never blocks, so
// families may call it while holding locks of their own.
func (n *news) add(f func(*change)) {
	n.mu.Lock()
	f(&n.pending)
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default: // a token is already there
	}
}

// take returns the pending changes and clears them.
func (n *news) take() change {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.pending
	n.pending = change{}
	return c
}

// tableNews implements [Changes] for some tables.
type tableNews struct {
	news   *news
	tables tableSet
}

// ToolsChanged, PromptsChanged and ResourcesChanged announce a change of a list
// of the table. Several changes before the next notification are sent as one.
func (n tableNews) ToolsChanged()     { n.news.add(func(c *change) { c.tools |= n.tables }) }
func (n tableNews) PromptsChanged()   { n.news.add(func(c *change) { c.prompts |= n.tables }) }
func (n tableNews) ResourcesChanged() { n.news.add(func(c *change) { c.resources |= n.tables }) }

// ResourceUpdated announces a change of a resource to its subscribers. Above
// maxNewsURIs pending changes, all resources of the table count as changed.
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

// Changes returns the functions that a program calls when it changes what the
// server serves. Changes of a list are reported to every caller who may see a
// list of that kind. Changes that the Watch of a table reports go only to callers
// who may see the list of that table.
func (s *Server) Changes() Changes { return tableNews{&s.news, allTables} }

// Run watches the tables' data and notifies clients of changes until ctx is done.
// It returns when all goroutines that it started have ended, with the errors of
// the tables' watches. A failed watch does not end the others: it is logged, and
// clients then miss changes made by other processes. Run must be called once.
func (s *Server) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	errs := make([]error, len(s.rows.tables))
	for i, t := range s.rows.tables {
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
	if s.stored.store != nil {
		wg.Go(func() { s.stored.watchTasks(ctx) })
		wg.Go(func() { s.stored.syncTasks(ctx) })
	}
	s.deliver(ctx)
	wg.Wait()
	return errors.Join(errs...)
}

// deliver notifies every listener of changes, at most once per newsEvery, until
// ctx is done. It notifies one listener after the other; senders must not block
// (see [jsonrpc.Sender] of the transports).
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
		for _, h := range s.listeners.all() {
			h.notifyChange(ctx, &c)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(newsEvery):
		}
	}
}

// notifyChange notifies one client through its legacy session, if its handshake
// is complete, and through each of its listen requests. It omits what the caller
// may not see.
func (h *Handler) notifyChange(ctx context.Context, c *change) {
	if s := h.caller.Session; s != nil && h.caller.Unsolicited && s.State.Ready.Load() {
		mine := h.server.rows.visible(h.caller.Principal)
		mine.tools, mine.prompts, mine.resources = mine.tools&c.tools, mine.prompts&c.prompts, mine.resources&c.resources
		mine.uris = c.uris
		h.send(ctx, &mine, h.server.shapesFor(s.Revision()).Has(host.DocumentedShapes), s.State.Subscribed, nil)
	}
	for _, l := range h.book.all() {
		l.notifyChange(ctx, h, c)
	}
}

// send sends the notifications of a change, with params added to each. silent
// must be set for baseline clients, since the documents promise them none.
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

// updatedParams adds the uri to params, which is nil or an object.
func updatedParams(uri string, params []byte) []byte {
	dst := jsonrpc.AppendString([]byte(`{"uri":`), uri)
	if params == nil {
		return append(dst, '}')
	}
	return append(append(dst, ','), params[1:]...)
}

// notify sends a notification. If that fails, it logs the error and drops the
// notification: the connection is closing, or its client does not read.
func (h *Handler) notify(ctx context.Context, method string, params []byte) {
	if err := h.caller.Send.Notify(ctx, method, params); err != nil {
		h.server.cfg.Logger.Debug("notification not sent", "method", method, "err", err)
	}
}

// A Level is the severity of a log message to the client (RFC 5424, section
// 6.2.1). A client sets the minimum level with logging/setLevel in legacy
// revisions, and in _meta of each request since 2026-07-28. Nothing is sent to a
// client that set none.
type Level int

// The levels, in ascending order.
const (
	LevelDebug Level = iota
	LevelInfo
	LevelNotice
	LevelWarning
	LevelError
	LevelCritical
	LevelAlert
	LevelEmergency
)

// levels holds the names of the levels in RFC 5424, by number.
var levels = [...]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// String returns the level's name on the wire. l must be one of the constants.
func (l Level) String() string { return levels[l] }

// parseLevel returns the level with a name, and false if there is none.
func parseLevel(name string) (Level, bool) {
	for i, n := range levels {
		if n == name {
			return Level(i), true
		}
	}
	return 0, false
}

// levelNames lists the names, for error texts.
func levelNames() string { return strings.Join(levels[:], ", ") }
