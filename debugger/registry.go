package debugger

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
)

// A registry has the sessions of all clients. A client finds its own only.
type registry struct {
	registryConfig

	mu       sync.Mutex
	sessions map[string]*session // by id
	ended    []epitaph           // oldest first
	closed   bool
}

// A registryConfig says what the sessions of a registry may take.
type registryConfig struct {
	log   *slog.Logger
	idle  time.Duration // after which a session that nobody uses ends
	limit int           // of sessions of one client
	stop  time.Duration // how long a process may stand still; 0 is for ever
	// history is how many bytes of records a session keeps.
	history int
}

// newRegistry makes one without sessions.
func newRegistry(c registryConfig) *registry {
	return &registry{registryConfig: c, sessions: map[string]*session{}}
}

// An epitaph says how a session ended, for those who ask for it later.
type epitaph struct{ id, key, text string }

// maxEpitaphs bounds how many are kept.
const maxEpitaphs = 64

// find returns the session of a client by its id, or its only one.
func (r *registry) find(key, id string) (*session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if id != "" {
		if s := r.sessions[id]; s != nil && s.key == key {
			return s, nil
		}
		return nil, &notAttachedError{cmp.Or(r.epitaphLocked(key, id), "there is no session "+fmt.Sprintf("%q", id))}
	}
	own := r.ownLocked(key)
	switch len(own) {
	case 0:
		return nil, &notAttachedError{cmp.Or(r.epitaphLocked(key, ""), "use debugger/attach or debugger/launch first")}
	case 1:
		return own[0], nil
	}
	return nil, failed("Several sessions", "say which one with the argument session: %s", names(own))
}

// names lists sessions for people.
func names(sessions []*session) string {
	var parts []string
	for _, s := range sessions {
		parts = append(parts, fmt.Sprintf("%s (%s)", s.id, s.name()))
	}
	return strings.Join(parts, ", ")
}

// ownLocked are the sessions of a client by their ids.
func (r *registry) ownLocked(key string) []*session {
	var own []*session
	for _, s := range r.sessions {
		if s.key == key {
			own = append(own, s)
		}
	}
	slices.SortFunc(own, func(a, b *session) int {
		return cmp.Or(cmp.Compare(a.pid, b.pid), cmp.Compare(a.id, b.id))
	})
	return own
}

// own are the sessions of a client.
func (r *registry) own(key string) []*session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ownLocked(key)
}

// epitaphLocked says how a session of a client ended, the last one if it has
// no id.
func (r *registry) epitaphLocked(key, id string) string {
	for _, e := range slices.Backward(r.ended) {
		if e.key == key && (id == "" || e.id == id) {
			return e.text
		}
	}
	return ""
}

// room says whether a client may have another session.
func (r *registry) room(key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return &refusedError{"the server is about to end"}
	}
	if own := r.ownLocked(key); len(own) >= r.limit {
		return &refusedError{fmt.Sprintf("%d sessions are open already, which is the limit; end one with debugger/detach: %s", len(own), names(own))}
	}
	return nil
}

// add makes a session of a process that stands still, or of a file. It takes
// over the debuggee, also when it fails.
func (r *registry) add(key string, d debuggee) (*session, error) {
	id := make([]byte, 4)
	_, _ = rand.Read(id) // it never fails
	s := &session{
		id: "dbg-" + hex.EncodeToString(id), key: key, gate: make(chan struct{}, 1), drifts: r.stop > 0 && d.process != nil,
	}
	life, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stepper = newStepper(newInspector(life, &d, r.log.With("pid", d.pid)), r.history)
	s.arrive()
	s.now = s.describe(s.here())
	s.now.Reason = d.reason
	s.wg.Go(s.index)
	s.timer = time.AfterFunc(r.idle, func() { r.expire(s) })
	if !r.keep(s) {
		return nil, errors.Join(&refusedError{"the server is about to end"}, s.finish(s.life, s.launched()))
	}
	return s, nil
}

// indexDelay is how long the first looks have the processors for themselves.
const indexDelay = 200 * time.Millisecond

// index reads all symbols, before somebody asks for one by name.
func (s *session) index() {
	select {
	case <-time.After(indexDelay):
		_ = s.program.Index(s.life) // what it cannot read, who asks will be told
	case <-s.life.Done():
	}
}

// keep makes a session one that can be found, unless all is over.
func (r *registry) keep(s *session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.sessions[s.id] = s
	}
	return !r.closed
}

// touch says that a session is in use.
func (r *registry) touch(s *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.timer.Reset(r.idle)
	}
}

// expire ends a session that nobody has used.
func (r *registry) expire(s *session) {
	r.log.Info("ending a debugging session that nobody uses", "session", s.id, "dur", r.idle)
	text := fmt.Sprintf("%s was let go because nobody had used the session for %s", s.name(), r.idle)
	if err := r.end(context.Background(), s, s.launched(), text); err != nil {
		r.log.Warn("a process could not be let go", "session", s.id, "err", err)
	}
}

// end takes a session out and lets its process go. Who comes second does
// nothing.
func (r *registry) end(ctx context.Context, s *session, kill bool, text string) error {
	r.mu.Lock()
	mine := r.sessions[s.id] == s
	if mine {
		delete(r.sessions, s.id)
		r.ended = append(r.ended, epitaph{s.id, s.key, text})
		r.ended = r.ended[max(0, len(r.ended)-maxEpitaphs):]
	}
	r.mu.Unlock()
	if !mine {
		return nil
	}
	return s.finish(ctx, kill)
}

// endAll ends the sessions of a client, of all when all is true. Programs that
// were attached to run on; those that were launched end.
func (r *registry) endAll(key string, all bool) error {
	r.mu.Lock()
	r.closed = r.closed || all
	var mine []*session
	for _, s := range r.sessions {
		if all || s.key == key {
			mine = append(mine, s)
		}
	}
	r.mu.Unlock()
	errs := make([]error, len(mine))
	var wg sync.WaitGroup
	for i, s := range mine {
		wg.Go(func() {
			errs[i] = r.end(context.Background(), s, s.launched(), "the session has ended")
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// endSession lets the processes of a client go.
func (r *registry) endSession(key string) {
	if err := r.endAll(key, false); err != nil {
		r.log.Warn("a process could not be let go", "err", err)
	}
}
