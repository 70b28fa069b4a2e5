package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/target"
)

// A Registry has the sessions of all clients. A client finds its own only.
type Registry struct {
	Config

	mu       sync.Mutex
	sessions map[string]*Session // by id
	ended    []ending            // oldest first
	closed   bool
}

// A Config says what the sessions of a registry may take.
type Config struct {
	Log         *slog.Logger
	Idle        time.Duration // after which a session that nobody uses ends
	MaxSessions int           // of sessions of one client
	MaxStop     time.Duration // how long a process may stand still; 0 is for ever
	// history is how many bytes of records a session keeps.
	History int
}

// NewRegistry makes one without sessions.
func NewRegistry(c Config) *Registry {
	return &Registry{Config: c, sessions: map[string]*Session{}}
}

// Find returns the session of a client by its id, or its only one.
func (r *Registry) Find(key, id string) (*Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" {
		if s := r.sessions[id]; s != nil && s.Key == key {
			return s, nil
		}
		return nil, failure.NotAttached(cmp.Or(r.endingLocked(key, id), "there is no session "+fmt.Sprintf("%q", id)))
	}
	own := r.ownLocked(key)
	switch len(own) {
	case 0:
		return nil, failure.NotAttached(cmp.Or(r.endingLocked(key, ""), "use debugger/attach or debugger/launch first"))
	case 1:
		return own[0], nil
	}
	return nil, failure.Errorf("Several sessions", "say which one with the argument session: %s", listNames(own))
}

// listNames lists sessions for people.
func listNames(sessions []*Session) string {
	var parts []string
	for _, s := range sessions {
		parts = append(parts, fmt.Sprintf("%s (%s)", s.ID, s.Name()))
	}
	return strings.Join(parts, ", ")
}

// ownLocked are the sessions of a client by their ids.
func (r *Registry) ownLocked(key string) []*Session {
	var own []*Session
	for _, s := range r.sessions {
		if s.Key == key {
			own = append(own, s)
		}
	}
	slices.SortFunc(own, func(a, b *Session) int {
		return cmp.Or(cmp.Compare(a.PID, b.PID), cmp.Compare(a.ID, b.ID))
	})
	return own
}

// Own are the sessions of a client.
func (r *Registry) Own(key string) []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ownLocked(key)
}

// RequireRoom says whether a client may have another session.
func (r *Registry) RequireRoom(key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return failure.Denied("the server is about to end")
	}
	if own := r.ownLocked(key); len(own) >= r.MaxSessions {
		return failure.Denied(fmt.Sprintf("%d sessions are open already, which is the limit; end one with debugger/detach: %s", len(own), listNames(own)))
	}
	return nil
}

// Add makes a session of a process that stands still, or of a file. It takes
// over the debuggee, also when it fails.
func (r *Registry) Add(key string, d target.Target) (*Session, error) {
	id := make([]byte, 4)
	_, _ = rand.Read(id) // it never fails
	s := &Session{
		ID: "dbg-" + hex.EncodeToString(id), Key: key, gate: make(chan struct{}, 1), drifts: r.MaxStop > 0 && d.Process != nil,
	}
	life, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.Stepper = stepping.NewStepper(inspect.NewInspector(life, &d, r.Log.With("pid", d.PID)), r.History)
	s.UpdateView()
	s.now = s.Describe(s.CurrentStop())
	s.now.Reason = d.Reason
	s.wg.Go(s.index)
	s.timer = time.AfterFunc(r.Idle, func() { r.expire(s) })
	if !r.register(s) {
		return nil, errors.Join(failure.Denied("the server is about to end"), s.close(s.Life, s.Launched()))
	}
	return s, nil
}

// indexDelay is how long the first looks have the processors for themselves.
const indexDelay = 200 * time.Millisecond

// index reads all symbols, before somebody asks for one by name.
func (s *Session) index() {
	select {
	case <-time.After(indexDelay):
		_ = s.Program.Index(s.Life) // what it cannot read, who asks will be told
	case <-s.Life.Done():
	}
}

// register makes a session one that can be found, unless all is over.
func (r *Registry) register(s *Session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.sessions[s.ID] = s
	}
	return !r.closed
}

// Touch says that a session is in use.
func (r *Registry) Touch(s *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.timer.Reset(r.Idle)
	}
}
