// Package session holds what a server remembers for a legacy client between its requests.
package session

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/mcp/internal/params"
)

// MaxSubscriptions bounds how many resources one session may watch.
const MaxSubscriptions = 10_000

// A State is that of one session. Its zero value is that before a handshake, and its
// methods may be called from any goroutine.
type State struct {
	Ready atomic.Bool // whether the client said it is initialized
	Left  atomic.Bool // whether its end was observed

	mu            sync.Mutex
	level         int                 // one more than the least severe level that the client wants; 0 before it asked
	subscriptions map[string]struct{} // nil if there are none
	charged       int                 // bytes charged for the subscriptions
	ended         bool                // no subscription is added any more
	began         time.Time
}

// Begin starts the session anew, as initialize does. It does not end the subscriptions.
func (s *State) Begin() {
	s.Ready.Store(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = 0
	if s.began.IsZero() {
		s.began = time.Now()
	}
}

// Age returns the time since the first initialize of the session in this process.
func (s *State) Age() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.began)
}

// SetLevel sets the least severe level of log messages that are sent.
func (s *State) SetLevel(level int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.level = level + 1
}

// Wants reports whether log messages of a level are sent: no message before the client
// has asked for some.
func (s *State) Wants(level int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.level > 0 && level >= s.level-1
}

// Logs reports whether the client has asked for log messages.
func (s *State) Logs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.level > 0
}

// Subscribe adds a resource, for which charge is called with cost. A second subscription
// to one resource changes nothing. The URI is kept as it was sent and not looked up: a
// resource may come into being later.
func (s *State) Subscribe(uri string, cost int, charge func(int) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.subscriptions[uri]; ok {
		return nil
	}
	if s.ended {
		return params.Invalid("the session has ended")
	}
	if len(s.subscriptions) >= MaxSubscriptions {
		return params.Invalid("a session may subscribe to %d resources at most", MaxSubscriptions)
	}
	if err := charge(cost); err != nil {
		return err
	}
	if s.subscriptions == nil {
		s.subscriptions = map[string]struct{}{}
	}
	s.charged += cost
	s.subscriptions[uri] = struct{}{}
	return nil
}

// Unsubscribe ends a subscription, and returns whether there was one. It was charged with
// cost, which is now to be given back.
func (s *State) Unsubscribe(uri string, cost int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.subscriptions[uri]; !ok {
		return false
	}
	delete(s.subscriptions, uri)
	s.charged -= cost
	return true
}

// DropSubscriptions ends all subscriptions, and returns the bytes to give back. After the
// last time there are no new ones.
func (s *State) DropSubscriptions(last bool) (charged int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.subscriptions)
	charged, s.charged, s.ended = s.charged, 0, s.ended || last
	return charged
}

// Subscribed reports whether the client wants to be notified of changes of a resource.
func (s *State) Subscribed(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.subscriptions[uri]
	return ok
}
