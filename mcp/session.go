package mcp

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Session holds the state of a legacy client between its requests. It is made by the
// transport, or by Bind for a connection, and ends with [Handler.End] of the handler that
// is bound with Unsolicited. Its methods may be called from any goroutine. Another
// initialize starts it anew.
type Session struct {
	// ID names the session; no two of a process have the same one.
	ID string

	handshake atomic.Pointer[handshake] // nil before initialize
	ready     atomic.Bool               // whether the client said it is initialized
	left      atomic.Bool               // whether its end was observed

	mu            sync.Mutex
	level         Level // least severe level the client wants, LevelOff before it asked
	subscriptions map[string]struct{}
	charged       int  // bytes taken from the budget for the subscriptions
	ended         bool // no subscription is added any more
	began         time.Time
}

// A handshake holds what initialize has negotiated. It is immutable; another
// initialize replaces it.
type handshake struct {
	rev    *host.Revision
	client ClientCapabilities
	name   string // of the client's program
}

// maxSubscriptions bounds how many resources one session may watch.
const maxSubscriptions = 10_000

// NewSession returns a session before its handshake. The id must be unique in the
// process, and one that no client can guess where clients send it.
func NewSession(id string) *Session {
	return &Session{ID: id, level: levelOff, subscriptions: map[string]struct{}{}}
}

// Revision returns the revision that initialize negotiated, the baseline before that.
func (s *Session) Revision() *host.Revision {
	if h := s.handshake.Load(); h != nil {
		return h.rev
	}
	return baseline.Revision
}

// ClientName returns the name and version of the client's program, in its own words; ""
// before its handshake, and if it did not say.
func (s *Session) ClientName() string {
	if h := s.handshake.Load(); h != nil {
		return h.name
	}
	return ""
}

// begin starts the session anew, as initialize does: nothing of an earlier
// handshake is left.
func (s *Session) begin(h *handshake) {
	s.ready.Store(false)
	s.mu.Lock()
	s.level = levelOff
	if s.began.IsZero() {
		s.began = time.Now()
	}
	s.mu.Unlock()
	s.handshake.Store(h)
}

// age returns the time since the first initialize of the session in this process.
func (s *Session) age() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.began)
}

// dropSubscriptions ends all subscriptions and returns their bytes to the
// budget. After the last time there are no new ones.
func (s *Session) dropSubscriptions(b *budget, principal string, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.subscriptions)
	b.give(principal, s.charged)
	s.charged, s.ended = 0, s.ended || last
}

// setLevel sets the least severe level of log messages that are sent.
func (s *Session) setLevel(l Level) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = l
}

// wants reports whether log messages of a level are sent: no message before the client
// has asked for some.
func (s *Session) wants(l Level) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l >= s.level
}

// Silent reports whether requests of the session that ask for no progress are sent no
// messages before their answer: the client wants no log and cannot be asked. A transport
// can then answer without a stream.
func (s *Session) Silent() bool {
	h := s.handshake.Load()
	return h != nil && !s.wants(LevelEmergency) && !h.client.Forms && !h.client.URLs && !h.client.Sampling && !h.client.Roots
}

// subscribe adds a resource and charges it to the budget. A second subscription to one
// resource changes nothing. The URI is kept as it was sent and not looked up: a resource
// may come into being later.
func (s *Session) subscribe(b *budget, principal, uri string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.subscriptions[uri]; ok {
		return nil
	}
	if s.ended {
		return InvalidParams("the session has ended")
	}
	if len(s.subscriptions) >= maxSubscriptions {
		return InvalidParams("a session may subscribe to %d resources at most", maxSubscriptions)
	}
	if err := b.take(principal, subscriptionBytes(uri)); err != nil {
		return err
	}
	s.charged += subscriptionBytes(uri)
	s.subscriptions[uri] = struct{}{}
	return nil
}

// unsubscribe ends a subscription and gives its bytes back to the budget.
func (s *Session) unsubscribe(b *budget, principal, uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.subscriptions[uri]; !ok {
		return
	}
	delete(s.subscriptions, uri)
	s.charged -= subscriptionBytes(uri)
	b.give(principal, subscriptionBytes(uri))
}

// subscriptionBytes returns the charge for a subscription.
func subscriptionBytes(uri string) int { return entryBytes + len(uri) }

// subscribed reports whether the client wants to be notified of changes of a resource.
func (s *Session) subscribed(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.subscriptions[uri]
	return ok
}

// A Handshake is the outcome of initialize, for a transport whose sessions go on in
// another process.
type Handshake struct {
	Revision string             `json:"r"` // its name
	Client   ClientCapabilities `json:"c"`
}

// Handshake returns the outcome of the session's initialize, the zero Handshake before
// that.
func (s *Session) Handshake() Handshake {
	h := s.handshake.Load()
	if h == nil {
		return Handshake{}
	}
	return Handshake{Revision: h.rev.Name, Client: h.client}
}

// RestoreSession returns a session after its handshake, which may have been with
// another process. Its client counts as initialized. It begins without subscriptions
// and with the level of logs of a new session.
func RestoreSession(id string, h Handshake) (*Session, error) {
	rev := host.RevisionNamed(h.Revision)
	if rev == nil || rev.Modern {
		return nil, fmt.Errorf("the revision %q has no sessions", h.Revision)
	}
	s := NewSession(id)
	s.begin(&handshake{rev: rev, client: h.Client})
	s.ready.Store(true)
	return s, nil
}
