package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/proc"
)

// EndIfExited ends a session whose process has ended, once somebody knows.
func (r *Registry) EndIfExited(s *Session, err error) error {
	if errors.Is(err, proc.ErrDetached) {
		return ErrClosed
	}
	stop, ended := s.ExitStop()
	if !ended || s.UnreportedOperation() != nil && err == nil {
		return err
	}
	text := s.Name() + " " + describeEnd(stop)
	if endErr := r.End(context.Background(), s, false, text); endErr != nil {
		s.Log.Warn("a process that ended could not be let go", "err", endErr)
	}
	if err != nil {
		return failure.NotAttached(text)
	}
	return nil
}

// describeEnd says how a process ended.
func describeEnd(stop proc.Stop) string {
	switch {
	case stop.Why == proc.Killed:
		return "was killed by signal " + signalName(stop.Signal)
	case stop.Status == proc.UnknownStatus:
		return "has ended"
	}
	return fmt.Sprintf("exited with status %d", stop.Status)
}

// An ending says how a session ended, for those who ask for it later.
type ending struct{ id, key, text string }

// maxEndings bounds how many are kept.
const maxEndings = 64

// endingLocked says how a session of a client ended, the last one if it has
// no id.
func (r *Registry) endingLocked(key, id string) string {
	for _, e := range slices.Backward(r.ended) {
		if e.key == key && (id == "" || e.id == id) {
			return e.text
		}
	}
	return ""
}

// expire ends a session that nobody has used.
func (r *Registry) expire(s *Session) {
	r.Log.Info("ending a debugging session that nobody uses", "session", s.ID, "dur", r.Idle)
	text := fmt.Sprintf("%s was let go because nobody had used the session for %s", s.Name(), r.Idle)
	if err := r.End(context.Background(), s, s.Launched(), text); err != nil {
		r.Log.Warn("a process could not be let go", "session", s.ID, "err", err)
	}
}

// End takes a session out and lets its process go. Who comes second does
// nothing.
func (r *Registry) End(ctx context.Context, s *Session, kill bool, text string) error {
	r.mu.Lock()
	mine := r.sessions[s.ID] == s
	if mine {
		delete(r.sessions, s.ID)
		r.ended = append(r.ended, ending{s.ID, s.Key, text})
		r.ended = r.ended[max(0, len(r.ended)-maxEndings):]
	}
	r.mu.Unlock()
	if !mine {
		return nil
	}
	return s.close(ctx, kill)
}

// EndAll ends the sessions of a client, of all when all is true. Programs that
// were attached to run on; those that were launched end.
func (r *Registry) EndAll(key string, all bool) error {
	r.mu.Lock()
	r.closed = r.closed || all
	var mine []*Session
	for _, s := range r.sessions {
		if all || s.Key == key {
			mine = append(mine, s)
		}
	}
	r.mu.Unlock()
	errs := make([]error, len(mine))
	var wg sync.WaitGroup
	for i, s := range mine {
		wg.Go(func() {
			errs[i] = r.End(context.Background(), s, s.Launched(), "the session has ended")
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// EndClient lets the processes of a client go.
func (r *Registry) EndClient(key string) {
	if err := r.EndAll(key, false); err != nil {
		r.Log.Warn("a process could not be let go", "err", err)
	}
}
