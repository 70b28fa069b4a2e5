package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/limits/worktime"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A Registry holds the sessions of all clients. Clients see only their own.
type Registry struct {
	Config

	mu       sync.Mutex
	sessions map[string]*Session // by id
	ended    []ending            // oldest first
	// restarting has the clients whose programs are being launched again, by the
	// id of the session.
	restarting map[string]string
	closed     bool
	// outputChanged is called when a launched program has written something;
	// nil if no server watches it.
	outputChanged func(id string)
}

// A Config limits the sessions of a registry.
type Config struct {
	Log         *slog.Logger
	Idle        time.Duration // an idle session ends after it
	MaxSessions int           // of sessions of one client
	MaxStop     time.Duration // how long a process may be stopped; 0 means no limit
	// History limits the records of a session, in memory and in a file in HistoryFolder.
	History       stepping.Budget
	HistoryFolder string
	// Work limits the time for which calls replay and search; nil means no limits.
	Work *worktime.Accounts
	// NoTranslate makes sessions interpret and record each instruction.
	NoTranslate bool
	// Span begins a span in the trace of a call and returns what ends it; nil if
	// nothing is traced.
	Span func(ctx context.Context, name string) (context.Context, func(error))
	// MaskSecrets masks what looks like a secret in values that are shown.
	MaskSecrets bool
	// FindDebug returns the path of the separate debug file of a build id; nil asks
	// for none.
	FindDebug func(buildID string) string
}

// NewRegistry returns a registry without sessions.
func NewRegistry(c Config) *Registry {
	return &Registry{Config: c, sessions: map[string]*Session{}, restarting: map[string]string{}}
}

// Find returns the session of a client by its id, or the only one if id is "".
func (r *Registry) Find(key, id string) (*Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.findLocked(key, id)
}

// findLocked is Find while Registry.mu is held.
func (r *Registry) findLocked(key, id string) (*Session, error) {
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
		parts = append(parts, fmt.Sprintf("%s (%s)", s.ID, s.Target.Name()))
	}
	return strings.Join(parts, ", ")
}

// ownLocked returns the sessions of a client, sorted. Registry.mu is held.
func (r *Registry) ownLocked(key string) []*Session {
	var own []*Session
	for _, s := range r.sessions {
		if s.Key == key {
			own = append(own, s)
		}
	}
	return sorted(own)
}

// sorted sorts sessions by process and id.
func sorted(all []*Session) []*Session {
	slices.SortFunc(all, func(a, b *Session) int {
		return cmp.Or(cmp.Compare(a.Target.ProcessID(), b.Target.ProcessID()), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Own returns the sessions of a client, sorted by process and id.
func (r *Registry) Own(key string) []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ownLocked(key)
}

// All returns the sessions of all clients, sorted by process and id.
func (r *Registry) All() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return sorted(slices.Collect(maps.Values(r.sessions)))
}

// RequireRoom returns an error if a client may not have another session.
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

// Add begins a session with a stopped process or a file. It owns the target
// from then on, even if it fails.
func (r *Registry) Add(key string, d target.Target) (*Session, error) {
	return r.begin(&Session{ID: newID(), Key: key}, d)
}

// newID returns an id for a session.
func newID() string {
	id := make([]byte, 4)
	_, _ = rand.Read(id) // it never fails
	return "dbg-" + hex.EncodeToString(id)
}

// begin begins a session that has its id and key.
func (r *Registry) begin(s *Session, d target.Target) (*Session, error) {
	return r.beginWith(s, d, func() {})
}

// beginWith is begin, and calls prepare before others can find the session.
func (r *Registry) beginWith(s *Session, d target.Target, prepare func()) (*Session, error) {
	d.SetMaskSecrets(r.MaskSecrets)
	d.FindDebug = r.FindDebug
	s.gate, s.drifts, s.span = make(chan struct{}, 1), r.MaxStop > 0 && d.Process != nil, r.Span
	s.work = r.Work
	life, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.Target, s.Inspector = &d, inspect.NewInspector(life, &d, r.Log)
	s.Stepper = stepping.NewStepper(s.Inspector, r.History)
	s.Timeline, s.Breakpoints = s.Stepper.Timeline, s.Stepper.Breakpoints
	s.Stepper.NoTranslate, s.Timeline.HistoryFolder = r.NoTranslate, r.HistoryFolder
	s.Timeline.UpdateView()
	s.RecordStop(s.Target.CurrentStop())
	s.SetReason(d.Reason)
	s.wg.Go(s.index)
	prepare()
	s.timer = time.AfterFunc(r.Idle, func() { r.expire(s) })
	if err := r.register(s); err != nil {
		return nil, errors.Join(err, s.close(s.Inspector.Life, s.Target.Launched()))
	}
	return s, nil
}

// indexDelay leaves the processors to the first calls of a session.
const indexDelay = 200 * time.Millisecond

// index reads all symbols in the background, before a name is looked up.
func (s *Session) index() {
	select {
	case <-time.After(indexDelay):
		_ = s.Inspector.Program.Index(s.Inspector.Life) // a lookup reports what cannot be read
	case <-s.Inspector.Life.Done():
	}
}

// register adds a session, unless the registry is closed or the id of the
// session is in use.
func (r *Registry) register(s *Session) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed:
		return failure.Denied("the server is about to end")
	case r.sessions[s.ID] != nil:
		return failure.Errorf("Session exists", "there is a session %s already", s.ID)
	}
	r.sessions[s.ID] = s
	return nil
}

// Touch restarts the idle time-out of a session.
func (r *Registry) Touch(s *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.timer.Reset(r.Idle)
	}
}
