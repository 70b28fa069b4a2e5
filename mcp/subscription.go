package mcp

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/triptych-mcp/triptych/jsonrpc"
)

// maxListens bounds the open listen requests of one connection.
const maxListens = 64

// A filter is what a listen request wants to hear, and in the answer what it
// will hear (2026-07-28, subscriptions).
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	Tasks     []string `json:"taskIds,omitempty"`
}

// A listen is an open subscriptions/listen request.
type listen struct {
	id     jsonrpc.ID
	rev    *Revision
	want   filter
	params []byte // {"_meta":{subscriptionId}}, in every message of the stream
	closed atomic.Bool

	// mu keeps the messages of this stream in order. Unlike other locks here
	// it is held while sending: whoever waits for it wants to send after.
	mu sync.Mutex
}

// A book is the open listen requests of one handler, by id.
type book struct {
	mu      sync.Mutex
	entries map[string]*listen
}

func (b *book) add(l *listen) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.entries) >= maxListens {
		return false
	}
	if b.entries == nil {
		b.entries = map[string]*listen{}
	}
	b.entries[l.id.String()] = l
	return true
}

// cancel closes a listen; nothing more is sent for its id.
func (b *book) cancel(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	l, ok := b.entries[id]
	if ok {
		l.closed.Store(true)
		delete(b.entries, id)
	}
	return ok
}

func (b *book) all() []*listen {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.entries))
}

// A responder can answer a request after its handler returned.
type responder interface {
	Respond(id jsonrpc.ID, result []byte) error
}

// end tells the client that its listens are over, by their results. On a
// connection the specification wants them cancelled too; that comes second,
// because clients take the first as the end and the TypeScript SDK's reports a
// result for an id that was cancelled.
func (b *book) end(ctx context.Context, h *Handler) {
	for _, l := range b.all() {
		if !b.cancel(l.id.String()) {
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

// serveListen opens a stream of changes. Its first message says what will be
// told; the answer comes when the server ends the stream.
func serveListen(ctx context.Context, s *Server, c *Call, dst []byte) ([]byte, error) {
	var want filter
	if err := decode("notifications", c.params.other("notifications"), &want); err != nil {
		return dst, err
	}
	if len(want.Tasks) > 0 && !c.hasTasks() {
		return dst, missingExtension(tasksExtension)
	}
	if c.handler.caller.Send == nil {
		return dst, InvalidParams("a listen request needs a road that carries a stream")
	}
	l := &listen{id: c.id.Clone(), rev: c.rev, want: s.honour(c, want)}
	l.params = append([]byte(`{"_meta":{"`+metaSubscription+`":`), l.id.Raw()...)
	l.params = append(l.params, `}}`...)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.handler.book.add(l) {
		return dst, InvalidParams("a connection may have %d open listen requests at most", maxListens)
	}
	s.listen(c.handler)
	told, err := marshal(l.want)
	if err != nil {
		return dst, err
	}
	ack := append(append([]byte(`{"notifications":`), told...), ',')
	c.notify(ctx, "notifications/subscriptions/acknowledged", append(ack, l.params[1:]...))
	for _, id := range l.want.Tasks { // one may have changed before we listened
		if t := s.tasks.find(id, c.handler.caller.Principal.ID); t != nil {
			view := t.look()
			l.sendTask(c.handler, &view)
		}
	}
	return dst, jsonrpc.ErrNoAnswer
}

// honour leaves out what the server has not or the caller may not see.
func (s *Server) honour(c *Call, want filter) filter {
	visible := s.changing() & s.visible(c.handler.caller.Principal)
	want.Tools = want.Tools && visible&OfferTools != 0
	want.Prompts = want.Prompts && visible&OfferPrompts != 0
	want.Resources = want.Resources && visible&OfferResources != 0
	want.URIs = slices.DeleteFunc(want.URIs, func(uri string) bool {
		src := s.source(uri)
		return src == nil || len(uri) > maxURI || !c.handler.caller.Principal.Allows(src.Scope)
	})
	want.URIs = want.URIs[:min(len(want.URIs), maxSubscriptions)]
	slices.Sort(want.Tasks)
	want.Tasks = slices.DeleteFunc(slices.Compact(want.Tasks), func(id string) bool {
		return s.tasks.find(id, c.handler.caller.Principal.ID) == nil
	})
	return want
}

// tell sends what this stream asked for.
func (l *listen) tell(ctx context.Context, h *Handler, c *change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return
	}
	mine := change{
		tools: c.tools && l.want.Tools, prompts: c.prompts && l.want.Prompts,
		resources: c.resources && l.want.Resources, uris: c.uris,
	}
	h.send(ctx, &mine, false, func(uri string) bool { return slices.Contains(l.want.URIs, uri) }, l.params)
}
