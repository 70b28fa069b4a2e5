package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp/internal/params"
	"github.com/triptych-mcp/triptych/mcp/internal/session"
)

// The bounds of listen requests.
const (
	maxListens     = 64   // that one connection has open
	maxListenTasks = 1000 // that one of them names; resources are bounded by session.MaxSubscriptions
)

// A filter selects the changes of which a listen request is notified: those that the
// client wants, and in the acknowledgement those that it will get (2026-07-28,
// subscriptions).
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	Tasks     []string `json:"taskIds,omitempty"`
}

// parseFilter decodes the member notifications. It stops at lists that are too
// long before it has copied them.
func parseFilter(raw []byte) (f filter, err *jsonrpc.Error) {
	if raw == nil {
		return f, InvalidParams("notifications is required")
	}
	if !params.IsObject(raw) {
		return f, InvalidParams("notifications must be an object")
	}
	members := jsonrpc.Members(raw)
	for members.Next() && err == nil {
		name, value := string(members.Key()), members.Value()
		switch name {
		case "toolsListChanged":
			f.Tools, err = boolean(name, value)
		case "promptsListChanged":
			f.Prompts, err = boolean(name, value)
		case "resourcesListChanged":
			f.Resources, err = boolean(name, value)
		case "resourceSubscriptions":
			f.URIs, err = texts(name, value, session.MaxSubscriptions, maxURI)
		case "taskIds":
			f.Tasks, err = texts(name, value, maxListenTasks, params.MaxName)
		}
	}
	return f, err
}

// boolean decodes a member of the filter of subscriptions/listen; null stands for
// false, as an absent member does.
func boolean(name string, raw []byte) (bool, *jsonrpc.Error) {
	switch string(raw) {
	case "true":
		return true, nil
	case "false", "null":
		return false, nil
	}
	return false, InvalidParams("notifications.%s must be true or false", name)
}

// texts decodes a list of at most so many strings of at most so many bytes. null stands
// for none; a string that is too long is left out, since nothing here has such a name.
func texts(name string, raw []byte, most, bytes int) ([]string, *jsonrpc.Error) {
	if params.IsNull(raw) {
		return nil, nil
	}
	if raw[0] != '[' {
		return nil, InvalidParams("notifications.%s must be an array", name)
	}
	var list []string
	elements := jsonrpc.Elements(raw)
	for elements.Next() {
		value := elements.Value()
		switch {
		case !params.IsString(value):
			return nil, InvalidParams("notifications.%s must be an array of strings", name)
		case len(list) == most:
			return nil, InvalidParams("notifications.%s may have %d items at most", name, most)
		}
		if text := jsonrpc.Unquote(value); len(text) <= bytes {
			list = append(list, text) // a longer one names nothing that there is
		}
	}
	return list, nil
}

// A listen is an open subscriptions/listen request: a stream of notifications that ends
// with its answer. It does not change once it is in the book, except that it closes.
type listen struct {
	id     jsonrpc.ID
	rev    revision
	want   filter // its lists are sorted
	params []byte // {"_meta":{subscriptionId}}, in every message of the stream
	cost   int    // bytes taken from the budget
	closed atomic.Bool

	// mu keeps the messages of this stream in order. Unlike other locks here
	// it is held while sending: a goroutine that waits for it wants to send
	// after.
	mu sync.Mutex
}

// wants reports whether the request named the resource.
func (l *listen) wants(uri string) bool {
	_, found := slices.BinarySearch(l.want.URIs, uri)
	return found
}

// bytes returns the charge for the request to its principal's budget: its lists stay in
// memory as long as it is open, which the client decides.
func (l *listen) bytes() int {
	n := entryBytes + 2*len(l.id.Raw()) + len(l.params)
	for _, list := range [][]string{l.want.URIs, l.want.Tasks} {
		for _, text := range list {
			n += entryBytes + len(text)
		}
	}
	return n
}

// A book holds the open listen requests of one handler, by id. Its zero value is ready.
// A request is open from its acknowledgement until the client cancels it, the
// connection ends, or the server closes.
type book struct {
	mu      sync.Mutex
	entries map[string]*listen
	closed  bool // the handler has ended
}

// openListen charges the request to the budget, adds it to the book and makes the server
// notify the handler, all of it before [Handler.End] or not at all. The caller holds
// l.mu, so that no change is sent before the acknowledgement.
func (h *Handler) openListen(l *listen) error {
	b := &h.book
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return jsonrpc.ErrClosed
	case b.entries[l.id.String()] != nil:
		return invalidRequest("a request with this id is still being answered")
	case len(b.entries) >= maxListens:
		return InvalidParams("a connection may have %d open listen requests at most", maxListens)
	}
	l.cost = l.bytes()
	if err := h.server.budget.take(h.caller.Principal.ID, l.cost); err != nil {
		return err
	}
	if b.entries == nil {
		b.entries = map[string]*listen{}
	}
	b.entries[l.id.String()] = l
	h.server.listeners.listen(h)
	return nil
}

// closeListen closes a listen request and returns its bytes to the budget. It reports
// whether there was one. It does not wait for messages that are being sent: those still
// go out, and none after them.
func (h *Handler) closeListen(id string) bool {
	h.book.mu.Lock()
	defer h.book.mu.Unlock()
	l, ok := h.book.entries[id]
	if ok {
		l.closed.Store(true)
		delete(h.book.entries, id)
		h.server.budget.give(h.caller.Principal.ID, l.cost)
	}
	return ok
}

// all returns the open streams, in no order.
func (b *book) all() []*listen {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.entries))
}

// close makes the book take no more requests.
func (b *book) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// A responder can answer a request after its handler returned.
type responder interface {
	Respond(id jsonrpc.ID, result []byte) error
}

// closeListens ends the listen requests by their results. On a connection the
// specification wants them cancelled too; that comes second, because clients take the
// first as the end and the TypeScript SDK's reports a result for an id that was
// cancelled. Requests that end meanwhile are left out.
func (h *Handler) closeListens(ctx context.Context) {
	for _, l := range h.book.all() {
		if !h.closeListen(l.id.String()) {
			continue
		}
		l.mu.Lock()
		if r, ok := h.caller.Send.(responder); ok {
			result := append([]byte(`{"resultType":"complete",`), l.params[1:]...)
			_ = r.Respond(l.id, result) // the client may be gone already
		}
		if h.caller.Connection {
			id := append([]byte(`{"requestId":`), l.id.Raw()...)
			h.notify(ctx, "notifications/cancelled", append(id, '}'))
		}
		l.mu.Unlock()
	}
}

// serveListen answers subscriptions/listen: it opens a stream of changes. Its first
// message acknowledges the part of the filter that is served; the answer comes when the
// server ends the stream, so the handler returns [jsonrpc.ErrNoAnswer]. Tasks that are
// named are sent at once as they are, for one may have changed before.
func serveListen(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	want, err := parseFilter(c.params.Other("notifications"))
	if err != nil {
		return dst, err
	}
	if len(want.Tasks) > 0 && !c.hasTasks() {
		return dst, missingExtension(tasksExtension)
	}
	if c.handler.caller.Send == nil {
		return dst, InvalidParams("a listen request needs a transport that carries a stream")
	}
	want = s.honour(ctx, c, want)
	acknowledged, failed := marshal(want)
	if failed != nil {
		return dst, failed
	}
	slices.Sort(want.URIs)
	l := &listen{id: c.id.Clone(), rev: c.rev, want: want}
	l.params = append([]byte(`{"_meta":{"`+params.MetaSubscription+`":`), l.id.Raw()...)
	l.params = append(l.params, `}}`...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := c.handler.openListen(l); err != nil {
		return dst, err
	}
	ack := append(append([]byte(`{"notifications":`), acknowledged...), ',')
	c.notify(ctx, "notifications/subscriptions/acknowledged", append(ack, l.params[1:]...))
	for _, id := range l.want.Tasks { // one may have changed before we listened
		if t := s.tasks.find(id, c.handler.caller.Principal.ID); t != nil {
			view := t.snapshot()
			l.sendTask(c.handler, &view)
		} else if s.stored.store != nil {
			if _, state, err := s.stored.loadTask(ctx, c.handler.caller.Principal.ID, id); err == nil {
				l.sendTask(c.handler, state.view(id))
			}
		}
	}
	return dst, jsonrpc.ErrNoAnswer
}

// honour returns the part of a filter that the server has and the caller may see. What it
// leaves out is not refused: the acknowledgement shows it.
func (s *Server) honour(ctx context.Context, c *Call, want filter) filter {
	visible, promised := s.rows.visible(c.handler.caller.Principal), s.rows.promised()
	want.Tools = want.Tools && visible.tools&promised.tools != 0
	want.Prompts = want.Prompts && visible.prompts&promised.prompts != 0
	want.Resources = want.Resources && visible.resources&promised.resources != 0
	want.URIs = slices.DeleteFunc(want.URIs, func(uri string) bool {
		src := s.rows.source(uri)
		return src == nil || !c.handler.caller.Principal.Allows(src.Scope)
	})
	slices.Sort(want.Tasks)
	want.Tasks = slices.DeleteFunc(slices.Compact(want.Tasks), func(id string) bool {
		return !s.stored.hasTask(ctx, c.handler.caller.Principal.ID, id)
	})
	return want
}

// hasTask reports whether a principal has a task, at any server.
func (s *storedTasks) hasTask(ctx context.Context, principal, id string) bool {
	if s.tasks.find(id, principal) != nil {
		return true
	}
	if s.store == nil {
		return false
	}
	_, err := s.store.Load(ctx, principal, id)
	return err == nil
}

// notifyChange sends the part of a change that this stream wants and its caller may see.
// Nothing is sent after the stream was closed.
func (l *listen) notifyChange(ctx context.Context, h *Handler, c *change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return
	}
	mine := h.server.rows.visible(h.caller.Principal)
	for _, kind := range []struct {
		mine   *tableSet
		change tableSet
		wanted bool
	}{
		{&mine.tools, c.tools, l.want.Tools},
		{&mine.prompts, c.prompts, l.want.Prompts},
		{&mine.resources, c.resources, l.want.Resources},
	} {
		if *kind.mine &= kind.change; !kind.wanted {
			*kind.mine = 0
		}
	}
	mine.uris = c.uris
	h.send(ctx, &mine, false, l.wants, l.params)
}
